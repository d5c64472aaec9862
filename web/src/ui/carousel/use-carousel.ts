import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react';
import { itemOf, itemsOf, turn, useFront, useWheelScroll } from './carousel-scroll.ts';
import { useTurnedCards } from './turn-cards.ts';
import { useDragScroll } from './use-drag-scroll.ts';

const CONTROL = 'button, a[href]';
/** A turn is spoken of once it has come to rest, not card by card. */
const REST_MS = 600;

/**
 * Turns a row that scrolls into a carousel of `count` items: which one is in front, turning to one by keys, focus,
 * wheel or pressing it, and dragging by mouse. `ring` and `handlers` belong on the element that scrolls. `told` is the
 * item to speak of: one that came to the front without focus having told so.
 */
export function useCarousel(count: number) {
  const ring = useRef<HTMLDivElement>(null);
  const front = useFront(ring, count);
  useTurnedCards(ring, count);
  const aim = useRef<number | undefined>(undefined);
  const told = useTold(front, () => ring.current?.contains(document.activeElement) ?? false);
  useEffect(() => {
    aim.current = undefined;
  }, [front]);

  const turnTo = (index: number): void => {
    aim.current = Math.min(count - 1, Math.max(0, index));
    if (ring.current) turn(ring.current, aim.current);
  };
  /** From where it is on its way to, so that quick steps add up. */
  const turnBy = (step: 1 | -1): void => turnTo((aim.current ?? front) + step);
  useWheelScroll(ring, turnBy);
  const drag = useDragScroll(ring, (left) => {
    const step = itemsOf(ring.current)[0]?.offsetWidth ?? 1;
    turnTo(Math.round(left / step));
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const from = itemOf(ring.current, event.target);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const control = itemsOf(ring.current)[to]?.querySelector<HTMLElement>(CONTROL);
    control?.focus({ preventScroll: true });
    if (control) turnTo(to);
  };
  // A press focuses too, and may be the beginning of a drag: only focus that comes otherwise turns.
  const isPressed = useRef(false);
  const onPointerDownCapture = (): void => {
    isPressed.current = true;
    const release = (): void => {
      isPressed.current = false;
      removeEventListener('pointerup', release, true);
      removeEventListener('pointercancel', release, true);
    };
    addEventListener('pointerup', release, true);
    addEventListener('pointercancel', release, true);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    const index = itemOf(ring.current, target);
    if (index >= 0 && index !== front && !isPressed.current) turnTo(index);
  };
  const onClickCapture = (event: MouseEvent): void => {
    drag.onClickCapture(event);
    const index = itemOf(ring.current, event.target);
    // Keys and screen readers press what they are at, wherever it stands.
    if (event.defaultPrevented || event.detail === 0 || index < 0 || index === front) return;
    event.preventDefault();
    event.stopPropagation();
    turnTo(index);
  };
  return { ring, front, told, turnBy, handlers: { ...drag, onPointerDownCapture, onKeyDown, onFocus, onClickCapture } };
}

/** The item in front once it has rested there, unless it was the first one or is known otherwise. */
function useTold(front: number, isKnown: () => boolean): number | undefined {
  const [told, setTold] = useState<number>();
  const last = useRef(front);
  useEffect(() => {
    if (last.current === front) return;
    last.current = front;
    const timer = setTimeout(() => setTold(isKnown() ? undefined : front), REST_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- asked when it is due, as things stand then
  }, [front]);
  return told;
}
