import { useLayoutEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react';
import { useDragScroll } from './use-drag-scroll.ts';

const ITEM = '.carousel-item';

/**
 * Turns a row that scrolls into a carousel of `count` items: which one is in front, turning to one by keys, focus or
 * pressing it, and dragging by mouse. `ring` and `handlers` belong on the element that scrolls.
 */
export function useCarousel(count: number) {
  const ring = useRef<HTMLDivElement>(null);
  const [front, setFront] = useState(0);
  const drag = useDragScroll(ring);
  const stepOf = (): number => ring.current?.querySelector<HTMLElement>(ITEM)?.offsetWidth || 1;
  // With three or more, begin at the second, so that three are seen at once.
  const hasNeighbours = count > 2;
  useLayoutEffect(() => {
    const item = ring.current?.querySelector<HTMLElement>(ITEM);
    if (hasNeighbours && item) ring.current?.scrollTo({ left: item.offsetWidth, behavior: 'instant' });
  }, [hasNeighbours]);

  const turnTo = (index: number): void => {
    const to = Math.min(count - 1, Math.max(0, index));
    ring.current?.scrollTo({ left: to * stepOf(), behavior: 'smooth' });
  };
  /** Turns to the item that something happened in, if it isn't in front. */
  const bringForward = (target: EventTarget): boolean => {
    const item = (target as Element).closest(ITEM);
    const index = item?.parentElement ? [...item.parentElement.children].indexOf(item) : front;
    if (index !== front) turnTo(index);
    return index !== front;
  };
  const onScroll = (): void => {
    const index = Math.min(count - 1, Math.round((ring.current?.scrollLeft ?? 0) / stepOf()));
    if (index !== front) setFront(index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowRight: front + 1, ArrowLeft: front - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    turnTo(to);
  };
  const onFocus = (event: FocusEvent): void => void bringForward(event.target);
  const onClickCapture = (event: MouseEvent): void => {
    drag.onClickCapture(event);
    if (event.defaultPrevented || !bringForward(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { ring, front, turnTo, handlers: { ...drag, onScroll, onKeyDown, onFocus, onClickCapture } };
}
