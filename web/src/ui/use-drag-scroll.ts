import { useRef, type PointerEvent, type RefObject } from 'react';

/** Presses that move less than this are presses. */
const DRAG_PX = 5;
/** How much of a movement counts for its speed: the end of it. */
const RECENT_MS = 90;
/** How far it goes on after the hand has let go, as time at the speed that it had. */
const GLIDE_MS = 240;

type Sample = { x: number; at: number };
type Drag = { x: number; left: number; trail: Sample[] };

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
  element.scrollLeft = drag.left - moved;
}

/** How far a hand would have gone on, in pixels of scrolling. */
function glideOf({ trail }: Drag, now: number): number {
  const recent = trail.filter(({ at }) => now - at < RECENT_MS);
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.at === first.at) return 0;
  return (-(last.x - first.x) / (last.at - first.at)) * GLIDE_MS;
}

/**
 * Lets a mouse drag what a finger swipes. Touch is left to the platform, which does it better.
 * @param onRelease told where the drag would come to rest: a scroll position, in pixels
 */
export function useDragScroll(element: RefObject<HTMLElement | null>, onRelease: (left: number) => void) {
  const drag = useRef<Drag | undefined>(undefined);
  const onPointerDown = (event: PointerEvent): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !element.current) return;
    drag.current = { x: event.clientX, left: element.current.scrollLeft, trail: [] };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current && element.current) dragTo(element.current, drag.current, event);
  };
  const onPointerUp = ({ timeStamp }: PointerEvent): void => {
    const ended = drag.current;
    drag.current = undefined;
    if (!ended || !element.current || !isDragging(element.current)) return;
    onRelease(element.current.scrollLeft + glideOf(ended, timeStamp));
    // The attribute goes after the click that ends a drag, so that the click does nothing.
    setTimeout(() => element.current?.removeAttribute('data-dragging'));
  };
  const onClickCapture = (event: { preventDefault(): void; stopPropagation(): void }): void => {
    if (!isDragging(element.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onClickCapture };
}
