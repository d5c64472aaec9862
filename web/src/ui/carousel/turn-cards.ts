import { useLayoutEffect, type RefObject } from 'react';
import { carouselItems } from './carousel-scroll.ts';

/** Pose of a card at a scroll progress: depth in pixels, turn in degrees. */
type Pose = { at: number; depth: number; turn: number; opacity: number };

/** The keyframes `carousel-turn` of carousel.css. `at`: 0 entering, 0.5 in front, 1 leaving. */
const POSES: readonly [Pose, ...Pose[]] = [
  { at: 0, depth: -520, turn: 50, opacity: 0 },
  { at: 0.24, depth: -190, turn: 34, opacity: 0.8 },
  { at: 0.5, depth: 0, turn: 0, opacity: 1 },
  { at: 0.76, depth: -190, turn: -34, opacity: 0.8 },
  { at: 1, depth: -520, turn: -50, opacity: 0 },
];

/** Linear interpolation between keyframes. @param at scroll progress, clamped to 0–1 */
export function poseAt(at: number): Omit<Pose, 'at'> {
  const reached = Math.min(1, Math.max(0, at));
  const next = Math.max(
    1,
    POSES.findIndex((pose) => pose.at >= reached),
  );
  const [before = POSES[0], after = POSES[0]] = POSES.slice(next - 1);
  const share = (reached - before.at) / (after.at - before.at);
  const between = (key: 'depth' | 'turn' | 'opacity'): number => before[key] + (after[key] - before[key]) * share;
  return { depth: between('depth'), turn: between('turn'), opacity: between('opacity') };
}

const isNative = (): boolean => CSS.supports('animation-timeline', 'view()');

/**
 * Turns the cards of a ring as it scrolls, where the browser has no scroll-driven animations (Firefox, Safari before 26). Widths
 * are measured when they change; a frame reads the scroll position, then writes transforms and opacity alone. With reduced
 * motion, cards take the pose of the nearest rest and none in between.
 */
export function useTurnedCards(ring: RefObject<HTMLElement | null>, count: number): void {
  useLayoutEffect(() => {
    const element = ring.current;
    const items = carouselItems(element);
    if (!element || items.length === 0 || isNative()) return;
    const cards = items.map((item) => item.querySelector<HTMLElement>('.carousel-card'));
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
    let step = 1;
    let width = 1;
    let frame = 0;
    const draw = (): void => {
      frame = 0;
      const scrolled = element.scrollLeft;
      const left = reducedMotion.matches ? Math.round(scrolled / step) * step : scrolled;
      cards.forEach((card, index) => {
        if (!card) return;
        const { depth, turn, opacity } = poseAt(0.5 + (left - index * step) / (width + step));
        card.style.transform = `perspective(900px) translate3d(0, 0, ${depth.toFixed(1)}px) rotateY(${turn.toFixed(2)}deg)`;
        card.style.opacity = opacity.toFixed(3);
      });
    };
    const measure = (): void => {
      step = items[0]?.offsetWidth || 1;
      width = element.clientWidth;
      draw();
    };
    const onScroll = (): void => {
      frame ||= requestAnimationFrame(draw);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (items[0]) observer.observe(items[0]);
    element.addEventListener('scroll', onScroll, { passive: true });
    reducedMotion.addEventListener('change', onScroll);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
      reducedMotion.removeEventListener('change', onScroll);
    };
  }, [ring, count]);
}
