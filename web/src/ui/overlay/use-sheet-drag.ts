import { useRef, type PointerEvent, type RefObject } from 'react';

/** A sheet let go this far down, or moving this fast, closes. */
const CLOSE_PX = 110;
const CLOSE_PX_PER_MS = 0.6;

/** Puts a panel so many pixels below its place, at once or gliding; `undefined` puts it back. */
function place(panel: HTMLElement | null, to: number | undefined, glide: boolean): void {
  if (!panel) return;
  panel.style.transition = glide ? 'transform 200ms var(--ease-settle)' : 'none';
  panel.style.transform = to === undefined ? '' : `translateY(${to}px)`;
}

/**
 * Lets a sheet be dragged down to close it, by handlers for the part that one takes hold of. Moves the panel directly:
 * no render while dragging.
 */
export function useSheetDrag(panel: RefObject<HTMLElement | null>, onClose: (() => void) | undefined) {
  const start = useRef<{ y: number; at: number } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    const isSheet = matchMedia('(width < 40rem)').matches;
    if (!onClose || !isSheet || (event.target as Element).closest('button, a, input')) return;
    start.current = { y: event.clientY, at: event.timeStamp };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (start.current) place(panel.current, Math.max(0, event.clientY - start.current.y), false);
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>): void => {
    if (!start.current) return;
    const distance = event.clientY - start.current.y;
    const speed = distance / Math.max(1, event.timeStamp - start.current.at);
    start.current = undefined;
    if (distance > CLOSE_PX || (distance > 24 && speed > CLOSE_PX_PER_MS)) onClose?.();
    else place(panel.current, undefined, true);
  };
  const onPointerCancel = (): void => {
    start.current = undefined;
    place(panel.current, undefined, true);
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel };
}
