import {
  useId,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../core/icons.tsx';
import { frontItem, carouselItems, turn, useFront, useWheelScroll, useDragScroll } from './carousel-scroll.ts';
import { useTurnedCards } from './turn-cards.ts';

/** What the button of a card takes over: only the one in front is reached by Tab, and each says its place. */
export type CardPosition = { tabIndex: 0 | -1; 'aria-describedby': string };

export type Carousel3DProps<Item> = {
  /** Name of the carousel, for screen readers. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** What an item is called when it comes to the front. */
  nameOf: (item: Item) => string;
  /** One card, drawn to 300 × 211: a button or link, which takes its place over. */
  renderCard: (item: Item, place: CardPosition) => ReactNode;
};

/**
 * Cards on a ring: three to be seen, the middle one to use; pressing another brings it to the front. Swipe, drag, arrow
 * keys, Home and End, shift and wheel, or the two buttons. On phones let it run from edge to edge, so that the neighbours
 * show.
 */
export function Carousel3D<Item>({ label, items, keyOf, nameOf, renderCard }: Carousel3DProps<Item>) {
  const { t } = useTranslation('parts');
  const id = useId();
  const { ring, front, told, turnBy, handlers } = useCarousel(items.length);
  const place = (index: number): string => t('carousel.position', { index: index + 1, count: items.length });
  const toldItem = told === undefined ? undefined : items[told];
  return (
    <section aria-roledescription={t('carousel.kind')} aria-label={label} className="@container relative">
      <div ref={ring} {...handlers} className="carousel">
        {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
        <ul role="list" className="carousel-track">
          {items.map((item, index) => (
            <li key={keyOf(item)} aria-current={index === front || undefined} className="carousel-item">
              <span id={`${id}${index}`} hidden>
                {place(index)}
              </span>
              <div className="carousel-card">
                {renderCard(item, { tabIndex: index === front ? 0 : -1, 'aria-describedby': `${id}${index}` })}
              </div>
            </li>
          ))}
        </ul>
      </div>
      {items.length > 1 && (
        <div className="pointer-events-none absolute inset-y-0 right-0 left-0 hidden items-center justify-between px-2 *:pointer-events-auto *:bg-ground/85 *:shadow-high sm:flex">
          <IconButton label={t('carousel.previous')} idle={front === 0} onClick={() => turnBy(-1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label={t('carousel.next')} idle={front === items.length - 1} onClick={() => turnBy(1)}>
            <ChevronRightIcon />
          </IconButton>
        </div>
      )}
      <p role="status" className="sr-only">
        {toldItem !== undefined && told !== undefined && `${nameOf(toldItem)} · ${place(told)}`}
      </p>
    </section>
  );
}

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
    const step = carouselItems(ring.current)[0]?.offsetWidth ?? 1;
    turnTo(Math.round(left / step));
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const from = frontItem(ring.current, event.target);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const control = carouselItems(ring.current)[to]?.querySelector<HTMLElement>(CONTROL);
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
    const index = frontItem(ring.current, target);
    if (index >= 0 && index !== front && !isPressed.current) turnTo(index);
  };
  const onClickCapture = (event: MouseEvent): void => {
    drag.onClickCapture(event);
    const index = frontItem(ring.current, event.target);
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
