import { useRef, type PointerEvent, type RefObject } from 'react';

/** Presses that move less than this are presses. */
const DRAG_PX = 5;

type Start = { x: number; left: number };

const isDragging = (element: HTMLElement | null): boolean => element?.dataset.dragging !== undefined;

/** Scrolls an element by how far the mouse has gone; the first step past a press takes hold of the pointer. */
function dragTo(element: HTMLElement, start: Start, { clientX, pointerId }: PointerEvent): void {
  const moved = clientX - start.x;
  if (!isDragging(element)) {
    if (Math.abs(moved) < DRAG_PX) return;
    element.dataset.dragging = '';
    element.setPointerCapture(pointerId);
  }
  element.scrollLeft = start.left - moved;
}

/** Lets a mouse drag what a finger swipes. Touch is left to the platform, which does it better. */
export function useDragScroll(element: RefObject<HTMLElement | null>) {
  const start = useRef<Start | undefined>(undefined);
  const onPointerDown = (event: PointerEvent): void => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !element.current) return;
    start.current = { x: event.clientX, left: element.current.scrollLeft };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (start.current && element.current) dragTo(element.current, start.current, event);
  };
  const onPointerUp = (): void => {
    start.current = undefined;
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
