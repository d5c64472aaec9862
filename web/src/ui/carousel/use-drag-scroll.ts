import { useEffect, useRef, type PointerEvent as Press, type RefObject } from 'react';

/** Presses that move less than this are presses. */
const DRAG_PX = 5;
/** How much of a movement counts for its speed: the end of it. */
const RECENT_MS = 90;
/** How far it goes on after the hand has let go, as time at the speed that it had. */
const GLIDE_MS = 240;

type Sample = { x: number; at: number };
/** `step` is the frame that is to show what the hand did last, 0 for none. */
type Drag = { x: number; left: number; trail: Sample[]; step: number };

const isDragging = (element: HTMLElement | null): boolean => element?.dataset.dragging !== undefined;

/** Scrolls an element by how far the mouse has gone; the first step past a press takes hold of the pointer. */
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

/** Where the hand wants it scrolled to, in pixels. */
const goalOf = ({ x, left, trail }: Drag): number => left + x - (trail.at(-1)?.x ?? x);

/** How far a hand would have gone on, in pixels of scrolling. */
function glideOf({ trail }: Drag, now: number): number {
  const recent = trail.filter(({ at }) => now - at < RECENT_MS);
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.at === first.at) return 0;
  return (-(last.x - first.x) / (last.at - first.at)) * GLIDE_MS;
}

/**
 * Follows a pressed mouse until it is let go. Its movements are taken at the window and go no further: each has to be done
 * with before the next picture, and on their way through the page they would cost more than what they do.
 * @returns ends the drag
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
    // The attribute goes after the click that ends a drag, so that the click does nothing.
    setTimeout(() => element.removeAttribute('data-dragging'));
  };
  addEventListener('pointermove', onMove, options);
  addEventListener('mousemove', (event) => event.stopImmediatePropagation(), options);
  addEventListener('pointerup', onEnd, options);
  addEventListener('pointercancel', onEnd, options);
  return () => listening.abort();
}

/**
 * Lets a mouse drag what a finger swipes. Touch is left to the platform, which does it better.
 * @param onRelease told where the drag would come to rest: a scroll position, in pixels
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
