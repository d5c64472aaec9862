import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

const ITEM = '.carousel-item';
/** A turn that hasn't ended by then has been overtaken by another. */
const TURN_MS = 900;
/** One notch of a wheel turns one card; what comes sooner than this is the same notch. */
const NOTCH_MS = 90;
/** A window that hasn't changed its width for so long has come to rest. */
const REFLOW_MS = 150;

export const itemsOf = (ring: HTMLElement | null): HTMLElement[] => [
  ...(ring?.querySelectorAll<HTMLElement>(ITEM) ?? []),
];

/** Which of the items something happened in. @returns -1 for none */
export const itemOf = (ring: HTMLElement | null, target: EventTarget | null): number =>
  itemsOf(ring).findIndex((item) => target instanceof Node && item.contains(target));

/** Which item is in the middle, told by the browser as it scrolls: nothing is measured on the way. */
export function useFront(ring: RefObject<HTMLElement | null>, count: number): number {
  // With three or more, begin at the second, so that three are seen at once.
  const first = count > 2 ? 1 : 0;
  const [front, setFront] = useState(first);
  useLayoutEffect(() => {
    const item = itemsOf(ring.current)[first];
    if (item) ring.current?.scrollTo({ left: first * item.offsetWidth, behavior: 'instant' });
  }, [ring, first]);
  const isReflowing = useKeptInFront(ring, front, count);
  useEffect(() => {
    const items = itemsOf(ring.current);
    const inMiddle = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inMiddle.add(target);
          else inMiddle.delete(target);
        }
        // Between two, the one before stays.
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
 * Keeps the item in front when the window gets another width: the browser keeps the pixels that were scrolled, which are
 * another item's where items stand closer or wider apart.
 * @returns whether the row is on its way to its new width, in which what is in the middle means nothing
 */
function useKeptInFront(ring: RefObject<HTMLElement | null>, front: number, count: number): RefObject<boolean> {
  const isReflowing = useRef(false);
  const latest = useRef(front);
  useEffect(() => {
    latest.current = front;
  }, [front]);
  useEffect(() => {
    const [item] = itemsOf(ring.current);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const widths = (): string => [innerWidth, ring.current?.clientWidth, item?.offsetWidth].join();
    let last = widths();
    const place = (): void => {
      ring.current?.scrollTo({ left: latest.current * (item?.offsetWidth ?? 0), behavior: 'instant' });
      isReflowing.current = false;
    };
    // The window says first that it changes; row and items follow, some pictures later on a slow phone.
    const onWidth = (): void => {
      const now = widths();
      // The address bar of a phone changes the height alone.
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
  const items = itemsOf(ring);
  const step = items[0]?.offsetWidth ?? 0;
  glide(ring, Math.min(items.length - 1, Math.max(0, index)) * step);
}

/** Scrolls to a place where something snaps; snapping is off meanwhile, or it would pull the other way. */
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

/**
 * A wheel with shift held turns card by card. A wheel alone is the page's, and sideways on a touch pad is the
 * platform's: neither is touched.
 */
export function useWheelScroll(ring: RefObject<HTMLElement | null>, onNotch: (direction: 1 | -1) => void): void {
  const told = useRef(onNotch);
  useEffect(() => {
    told.current = onNotch;
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
      told.current(turned > 0 ? 1 : -1);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [ring]);
}
