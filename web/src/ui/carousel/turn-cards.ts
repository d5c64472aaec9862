import { useLayoutEffect, type RefObject } from 'react';
import { carouselItems } from './carousel-scroll.ts';

/** Pose of a card at scroll progress `at`: depth in pixels, turn in degrees. */
type Pose = { at: number; depth: number; turn: number; opacity: number };

/** Same keyframes as `carousel-turn` in carousel.css. `at`: 0 entering, 0.5 in front, 1 leaving. */
const POSES: readonly [Pose, ...Pose[]] = [
  { at: 0, depth: -520, turn: 50, opacity: 0 },
  { at: 0.24, depth: -190, turn: 34, opacity: 0.8 },
  { at: 0.5, depth: 0, turn: 0, opacity: 1 },
  { at: 0.76, depth: -190, turn: -34, opacity: 0.8 },
  { at: 1, depth: -520, turn: -50, opacity: 0 },
];

/** Interpolates linearly between keyframes. @param progress scroll progress, clamped to 0–1 */
export function poseAt(progress: number): Omit<Pose, 'at'> {
  const clampedProgress = Math.min(1, Math.max(0, progress));
  const nextIndex = Math.max(
    1,
    POSES.findIndex((pose) => pose.at >= clampedProgress),
  );
  const [previousPose = POSES[0], nextPose = POSES[0]] = POSES.slice(nextIndex - 1);
  const fraction = (clampedProgress - previousPose.at) / (nextPose.at - previousPose.at);
  const interpolate = (key: 'depth' | 'turn' | 'opacity'): number =>
    previousPose[key] + (nextPose[key] - previousPose[key]) * fraction;
  return { depth: interpolate('depth'), turn: interpolate('turn'), opacity: interpolate('opacity') };
}

const hasScrollAnimations = (): boolean => CSS.supports('animation-timeline', 'view()');

/**
 * Turns the cards of a ring while it scrolls, in browsers without scroll-driven animations (Firefox, Safari before 26).
 * Widths are measured only when they change; a frame only reads the scroll position and writes transforms and opacity.
 * With reduced motion, cards show only the poses of settled positions.
 */
export function useTurnedCards(ring: RefObject<HTMLElement | null>, count: number): void {
  useLayoutEffect(() => {
    const element = ring.current;
    const items = carouselItems(element);
    if (!element || items.length === 0 || hasScrollAnimations()) return;
    const cards = items.map((item) => item.querySelector<HTMLElement>('.carousel-card'));
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
    let cardWidth = 1;
    let width = 1;
    let frameId = 0;
    const drawCards = (): void => {
      frameId = 0;
      const scrollLeft = element.scrollLeft;
      const drawnLeft = reducedMotion.matches ? Math.round(scrollLeft / cardWidth) * cardWidth : scrollLeft;
      cards.forEach((card, index) => {
        if (!card) return;
        const { depth, turn, opacity } = poseAt(0.5 + (drawnLeft - index * cardWidth) / (width + cardWidth));
        card.style.transform = `perspective(900px) translate3d(0, 0, ${depth.toFixed(1)}px) rotateY(${turn.toFixed(2)}deg)`;
        card.style.opacity = opacity.toFixed(3);
      });
    };
    const measureWidths = (): void => {
      cardWidth = items[0]?.offsetWidth || 1;
      width = element.clientWidth;
      drawCards();
    };
    const onScroll = (): void => {
      frameId ||= requestAnimationFrame(drawCards);
    };
    measureWidths();
    const observer = new ResizeObserver(measureWidths);
    observer.observe(element);
    if (items[0]) observer.observe(items[0]);
    element.addEventListener('scroll', onScroll, { passive: true });
    reducedMotion.addEventListener('change', onScroll);
    return () => {
      cancelAnimationFrame(frameId);
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
      reducedMotion.removeEventListener('change', onScroll);
    };
  }, [ring, count]);
}
