import { useEffect, useLayoutEffect, useRef, useState, type RefObject, type PointerEvent as Press } from 'react';

const ITEM_SELECTOR = '.carousel-item';
/** Time limit in ms of a smooth turn; afterwards snapping is on again even without `scrollend`. */
const TURN_TIMEOUT_MS = 900;
/** Wheel events within this time belong to the same notch; one notch turns one card. */
const WHEEL_NOTCH_MS = 90;
/** Debounce time of window width changes, in ms. */
const RESIZE_DEBOUNCE_MS = 150;

export const carouselItems = (ring: HTMLElement | null): HTMLElement[] => [
  ...(ring?.querySelectorAll<HTMLElement>(ITEM_SELECTOR) ?? []),
];

/** Index of the carousel item that contains an element. @returns -1 if there is none */
export const itemIndex = (ring: HTMLElement | null, target: EventTarget | null): number =>
  carouselItems(ring).findIndex((item) => target instanceof Node && item.contains(target));

/** Index of the middle item. Uses IntersectionObserver, so that scrolling measures no layout. */
export function useFrontIndex(ring: RefObject<HTMLElement | null>, count: number): number {
  // With three or more items the second is in front initially, so that three are visible.
  const firstIndex = count > 2 ? 1 : 0;
  const [front, setFront] = useState(firstIndex);
  useLayoutEffect(() => {
    const item = carouselItems(ring.current)[firstIndex];
    if (item) ring.current?.scrollTo({ left: firstIndex * item.offsetWidth, behavior: 'instant' });
  }, [ring, firstIndex]);
  const isReflowing = useFrontOnResize(ring, front, count);
  useEffect(() => {
    const items = carouselItems(ring.current);
    const middleItems = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) middleItems.add(target);
          else middleItems.delete(target);
        }
        // Between two items, the previous item stays in front.
        const [middleItem] = middleItems;
        if (middleItem && middleItems.size === 1 && !isReflowing.current)
          setFront(items.indexOf(middleItem as HTMLElement));
      },
      { root: ring.current, rootMargin: '0px -49.5%' },
    );
    for (const item of items) observer.observe(item);
    return () => observer.disconnect();
  }, [ring, count, isReflowing]);
  return Math.min(front, Math.max(0, count - 1));
}

/**
 * Keeps the front item in front when the window width changes: the browser keeps the scroll offset, which may then
 * belong to another item.
 * @returns ref that is true while the layout is changing and the middle item is invalid
 */
function useFrontOnResize(ring: RefObject<HTMLElement | null>, front: number, count: number): RefObject<boolean> {
  const isReflowing = useRef(false);
  const latestFront = useRef(front);
  useEffect(() => {
    latestFront.current = front;
  }, [front]);
  useEffect(() => {
    const [item] = carouselItems(ring.current);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const currentWidths = (): string => [innerWidth, ring.current?.clientWidth, item?.offsetWidth].join();
    let lastWidths = currentWidths();
    const scrollToFront = (): void => {
      ring.current?.scrollTo({ left: latestFront.current * (item?.offsetWidth ?? 0), behavior: 'instant' });
      isReflowing.current = false;
    };
    // On a slow phone the row's layout changes some frames after the resize event.
    const onWidthChange = (): void => {
      const newWidths = currentWidths();
      // A phone's address bar changes only the window height.
      if (newWidths === lastWidths) return;
      lastWidths = newWidths;
      isReflowing.current = true;
      clearTimeout(timer);
      timer = setTimeout(scrollToFront, RESIZE_DEBOUNCE_MS);
    };
    const observer = new ResizeObserver(onWidthChange);
    for (const element of [ring.current, item]) if (element) observer.observe(element);
    addEventListener('resize', onWidthChange);
    return () => {
      observer.disconnect();
      removeEventListener('resize', onWidthChange);
      clearTimeout(timer);
    };
  }, [ring, count]);
  return isReflowing;
}

/** Scrolls smoothly to an item. */
export function scrollToItem(ring: HTMLElement, index: number): void {
  const items = carouselItems(ring);
  const itemWidth = items[0]?.offsetWidth ?? 0;
  scrollSmoothly(ring, Math.min(items.length - 1, Math.max(0, index)) * itemWidth);
}

/** Scrolls smoothly to a snap point. Snapping is off during the animation because it would interfere. */
export function scrollSmoothly(ring: HTMLElement, scrollLeft: number): void {
  const isReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isReducedMotion || Math.abs(ring.scrollLeft - scrollLeft) < 1)
    return ring.scrollTo({ left: scrollLeft, behavior: 'instant' });
  ring.dataset.turning = '';
  const endTurn = (): void => {
    clearTimeout(timer);
    ring.removeEventListener('scrollend', endTurn);
    delete ring.dataset.turning;
  };
  const timer = setTimeout(endTurn, TURN_TIMEOUT_MS);
  ring.addEventListener('scrollend', endTurn);
  ring.scrollTo({ left: scrollLeft, behavior: 'smooth' });
}

/**
 * Turns one card per notch of the wheel with Shift. Without Shift the wheel scrolls the page; horizontal touchpad
 * scrolling is native.
 */
export function useWheelScroll(ring: RefObject<HTMLElement | null>, onNotch: (direction: 1 | -1) => void): void {
  const latestOnNotch = useRef(onNotch);
  useEffect(() => {
    latestOnNotch.current = onNotch;
  });
  useEffect(() => {
    const element = ring.current;
    let lastTurnAt = Number.NEGATIVE_INFINITY;
    const onWheel = (event: WheelEvent): void => {
      const delta = event.deltaX || event.deltaY;
      if (!event.shiftKey || delta === 0) return;
      event.preventDefault();
      if (event.timeStamp - lastTurnAt < WHEEL_NOTCH_MS) return;
      lastTurnAt = event.timeStamp;
      latestOnNotch.current(delta > 0 ? 1 : -1);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [ring]);
}

/** Minimum movement in pixels that counts as a drag; a shorter one is a press. */
const DRAG_THRESHOLD_PX = 5;
/** Time in ms before release in which the release speed is measured. */
const SPEED_WINDOW_MS = 90;
/** Time in ms for which scrolling continues at the release speed. */
const DECELERATION_MS = 240;

type PointerSample = { x: number; atMs: number };
/** A mouse drag. `left` is the scroll offset at its start; `frameId` is the pending animation frame, 0 for none. */
type Drag = { startX: number; startScrollLeft: number; samples: PointerSample[]; frameId: number };

const isDragging = (element: HTMLElement | null): boolean => element?.dataset.dragging !== undefined;

/**
 * Scrolls an element by the mouse movement. Captures the pointer when the movement first exceeds the drag threshold.
 */
function scrollByPointer(element: HTMLElement, drag: Drag, { clientX, pointerId, timeStamp }: PointerEvent): void {
  const distance = clientX - drag.startX;
  if (!isDragging(element)) {
    if (Math.abs(distance) < DRAG_THRESHOLD_PX) return;
    element.dataset.dragging = '';
    element.setPointerCapture(pointerId);
  }
  drag.samples = [
    ...drag.samples.filter(({ atMs }) => timeStamp - atMs < SPEED_WINDOW_MS),
    { x: clientX, atMs: timeStamp },
  ];
  drag.frameId ||= requestAnimationFrame(() => {
    drag.frameId = 0;
    element.scrollLeft = targetOffsetOf(drag);
  });
}

/** Scroll offset for the current pointer position, in pixels. */
const targetOffsetOf = ({ startX, startScrollLeft, samples }: Drag): number =>
  startScrollLeft + startX - (samples.at(-1)?.x ?? startX);

/** Scroll distance in pixels after release, computed from the release speed. */
function decelerationOf({ samples }: Drag, releasedAt: number): number {
  const recentSamples = samples.filter(({ atMs }) => releasedAt - atMs < SPEED_WINDOW_MS);
  const [firstSample, lastSample] = [recentSamples[0], recentSamples.at(-1)];
  if (!firstSample || !lastSample || lastSample.atMs === firstSample.atMs) return 0;
  return (-(lastSample.x - firstSample.x) / (lastSample.atMs - firstSample.atMs)) * DECELERATION_MS;
}

/**
 * Follows a pressed mouse until its release. Listens on window and stops propagation, because each event must be
 * handled before the next frame.
 * @returns function that stops following
 */
function followPointer(element: HTMLElement, drag: Drag, onRelease: (scrollLeft: number) => void): () => void {
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  const onMove = (event: PointerEvent): void => {
    scrollByPointer(element, drag, event);
    event.stopImmediatePropagation();
  };
  const onEnd = ({ timeStamp }: PointerEvent): void => {
    controller.abort();
    if (!isDragging(element)) return;
    cancelAnimationFrame(drag.frameId);
    onRelease(targetOffsetOf(drag) + decelerationOf(drag, timeStamp));
    // Removes the attribute after the click event that ends a drag, so that the click has no effect.
    setTimeout(() => element.removeAttribute('data-dragging'));
  };
  addEventListener('pointermove', onMove, options);
  addEventListener('mousemove', (event) => event.stopImmediatePropagation(), options);
  addEventListener('pointerup', onEnd, options);
  addEventListener('pointercancel', onEnd, options);
  return () => controller.abort();
}

/**
 * Scrolls by dragging with the mouse; touch scrolls natively.
 * @param onRelease called with the scroll offset in pixels at which the drag would settle
 */
export function useDragScroll(element: RefObject<HTMLElement | null>, onRelease: (scrollLeft: number) => void) {
  const stopFollowing = useRef<(() => void) | undefined>(undefined);
  useEffect(() => () => stopFollowing.current?.(), []);
  const onPointerDown = (event: Press): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !element.current) return;
    stopFollowing.current?.();
    stopFollowing.current = followPointer(
      element.current,
      { startX: event.clientX, startScrollLeft: element.current.scrollLeft, samples: [], frameId: 0 },
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
