import { useEffect, useLayoutEffect, useRef, useState, type RefObject, type PointerEvent as Press } from 'react';

const ITEM = '.carousel-item';
/** After this time another turn has replaced it. */
const TURN_MS = 900;
/** A wheel notch turns one card; events within this time belong to the same notch. */
const NOTCH_MS = 90;
/** Debounce of window width changes. */
const REFLOW_MS = 150;

export const carouselItems = (ring: HTMLElement | null): HTMLElement[] => [
  ...(ring?.querySelectorAll<HTMLElement>(ITEM) ?? []),
];

/** Index of the item that contains a target. @returns -1 for none */
export const itemIndex = (ring: HTMLElement | null, target: EventTarget | null): number =>
  carouselItems(ring).findIndex((item) => target instanceof Node && item.contains(target));

/** Index of the item in the middle, by IntersectionObserver: no layout is measured while scrolling. */
export function useFront(ring: RefObject<HTMLElement | null>, count: number): number {
  // With three or more, starts at the second, so that three are visible.
  const first = count > 2 ? 1 : 0;
  const [front, setFront] = useState(first);
  useLayoutEffect(() => {
    const item = carouselItems(ring.current)[first];
    if (item) ring.current?.scrollTo({ left: first * item.offsetWidth, behavior: 'instant' });
  }, [ring, first]);
  const isReflowing = useKeptInFront(ring, front, count);
  useEffect(() => {
    const items = carouselItems(ring.current);
    const inMiddle = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inMiddle.add(target);
          else inMiddle.delete(target);
        }
        // Between two items, the previous one stays.
        const [only] = inMiddle;
        if (only && inMiddle.size === 1 && !isReflowing.current) setFront(items.indexOf(only as HTMLElement));
      },
      { root: ring.current, rootMargin: '0px -49.5%' },
    );
    for (const item of items) observer.observe(item);
    return () => observer.disconnect();
  }, [ring, count, isReflowing]);
  return Math.min(front, Math.max(0, count - 1));
}

/**
 * Keeps the front item when the window width changes: the browser keeps the scroll offset, at which another item may
 * be.
 * @returns whether the layout is changing, during which the middle item is meaningless
 */
function useKeptInFront(ring: RefObject<HTMLElement | null>, front: number, count: number): RefObject<boolean> {
  const isReflowing = useRef(false);
  const latest = useRef(front);
  useEffect(() => {
    latest.current = front;
  }, [front]);
  useEffect(() => {
    const [item] = carouselItems(ring.current);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const widths = (): string => [innerWidth, ring.current?.clientWidth, item?.offsetWidth].join();
    let last = widths();
    const place = (): void => {
      ring.current?.scrollTo({ left: latest.current * (item?.offsetWidth ?? 0), behavior: 'instant' });
      isReflowing.current = false;
    };
    // The resize event comes first; the row's layout follows some frames later on a slow phone.
    const onWidth = (): void => {
      const now = widths();
      // A phone's address bar changes only the height.
      if (now === last) return;
      last = now;
      isReflowing.current = true;
      clearTimeout(timer);
      timer = setTimeout(place, REFLOW_MS);
    };
    const observer = new ResizeObserver(onWidth);
    for (const element of [ring.current, item]) if (element) observer.observe(element);
    addEventListener('resize', onWidth);
    return () => {
      observer.disconnect();
      removeEventListener('resize', onWidth);
      clearTimeout(timer);
    };
  }, [ring, count]);
  return isReflowing;
}

/** Scrolls to an item. */
export function turn(ring: HTMLElement, index: number): void {
  const items = carouselItems(ring);
  const step = items[0]?.offsetWidth ?? 0;
  glide(ring, Math.min(items.length - 1, Math.max(0, index)) * step);
}

/** Scrolls smoothly to a snap point; snapping is off during the animation, or it would interfere. */
export function glide(ring: HTMLElement, left: number): void {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isStill || Math.abs(ring.scrollLeft - left) < 1) return ring.scrollTo({ left, behavior: 'instant' });
  ring.dataset.turning = '';
  const end = (): void => {
    clearTimeout(timer);
    ring.removeEventListener('scrollend', end);
    delete ring.dataset.turning;
  };
  const timer = setTimeout(end, TURN_MS);
  ring.addEventListener('scrollend', end);
  ring.scrollTo({ left, behavior: 'smooth' });
}

/** Shift and wheel turns card by card. A plain wheel scrolls the page, and horizontal touchpad scrolling is native. */
export function useWheelScroll(ring: RefObject<HTMLElement | null>, onNotch: (direction: 1 | -1) => void): void {
  const callback = useRef(onNotch);
  useEffect(() => {
    callback.current = onNotch;
  });
  useEffect(() => {
    const element = ring.current;
    let last = Number.NEGATIVE_INFINITY;
    const onWheel = (event: WheelEvent): void => {
      const turned = event.deltaX || event.deltaY;
      if (!event.shiftKey || turned === 0) return;
      event.preventDefault();
      if (event.timeStamp - last < NOTCH_MS) return;
      last = event.timeStamp;
      callback.current(turned > 0 ? 1 : -1);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [ring]);
}

/** Movements below this count as a press. */
const DRAG_PX = 5;
/** Time window for the speed of a movement: its end. */
const RECENT_MS = 90;
/** Deceleration time after release, at the release speed. */
const GLIDE_MS = 240;

type Sample = { x: number; at: number };
/** `step` is the pending animation frame, 0 for none. */
type Drag = { x: number; left: number; trail: Sample[]; step: number };

const isDragging = (element: HTMLElement | null): boolean => element?.dataset.dragging !== undefined;

/** Scrolls an element by the movement of the mouse; the first movement beyond a press captures the pointer. */
function dragTo(element: HTMLElement, drag: Drag, { clientX, pointerId, timeStamp }: PointerEvent): void {
  const moved = clientX - drag.x;
  if (!isDragging(element)) {
    if (Math.abs(moved) < DRAG_PX) return;
    element.dataset.dragging = '';
    element.setPointerCapture(pointerId);
  }
  drag.trail = [...drag.trail.filter(({ at }) => timeStamp - at < RECENT_MS), { x: clientX, at: timeStamp }];
  drag.step ||= requestAnimationFrame(() => {
    drag.step = 0;
    element.scrollLeft = goalOf(drag);
  });
}

/** Target scroll offset of the pointer, in pixels. */
const goalOf = ({ x, left, trail }: Drag): number => left + x - (trail.at(-1)?.x ?? x);

/** Distance of deceleration after release, in pixels of scrolling. */
function glideOf({ trail }: Drag, now: number): number {
  const recent = trail.filter(({ at }) => now - at < RECENT_MS);
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.at === first.at) return 0;
  return (-(last.x - first.x) / (last.at - first.at)) * GLIDE_MS;
}

/**
 * Follows a pressed mouse until its release. Listens on window and stops propagation: each event must be handled before
 * the next frame, and dispatch through the page would cost more.
 * @returns stop function
 */
function follow(element: HTMLElement, drag: Drag, onRelease: (left: number) => void): () => void {
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  const onMove = (event: PointerEvent): void => {
    dragTo(element, drag, event);
    event.stopImmediatePropagation();
  };
  const onEnd = ({ timeStamp }: PointerEvent): void => {
    listening.abort();
    if (!isDragging(element)) return;
    cancelAnimationFrame(drag.step);
    onRelease(goalOf(drag) + glideOf(drag, timeStamp));
    // The attribute is removed after the click that ends a drag, so that the click has no effect.
    setTimeout(() => element.removeAttribute('data-dragging'));
  };
  addEventListener('pointermove', onMove, options);
  addEventListener('mousemove', (event) => event.stopImmediatePropagation(), options);
  addEventListener('pointerup', onEnd, options);
  addEventListener('pointercancel', onEnd, options);
  return () => listening.abort();
}

/**
 * Drags by mouse; touch scrolls natively.
 * @param onRelease called with the scroll offset in pixels at which the drag would settle
 */
export function useDragScroll(element: RefObject<HTMLElement | null>, onRelease: (left: number) => void) {
  const letGo = useRef<(() => void) | undefined>(undefined);
  useEffect(() => () => letGo.current?.(), []);
  const onPointerDown = (event: Press): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !element.current) return;
    letGo.current?.();
    letGo.current = follow(
      element.current,
      { x: event.clientX, left: element.current.scrollLeft, trail: [], step: 0 },
      onRelease,
    );
  };
  const onClickCapture = (event: { preventDefault(): void; stopPropagation(): void }): void => {
    if (!isDragging(element.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onPointerDown, onClickCapture };
}
