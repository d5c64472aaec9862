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
import { itemIndex, carouselItems, turn, useFront, useWheelScroll, useDragScroll } from './carousel-scroll.ts';
import { useTurnedCards } from './turn-cards.ts';

/** Attributes for a card's button: only the front one is in the tab order, and each states its position. */
export type CardPosition = { tabIndex: 0 | -1; 'aria-describedby': string };

export type Carousel3DProps<Item> = {
  /** Name of the carousel, for screen readers. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Announced name of an item in front. */
  nameOf: (item: Item) => string;
  /** Renders a card of 300 × 211: a button or link with the attributes of its position. */
  renderCard: (item: Item, place: CardPosition) => ReactNode;
};

/**
 * Three visible cards on a ring; the front one is active, pressing another moves it to the front. Swipe, drag, arrow
 * keys, Home and End, shift and wheel, or the two buttons. Full width on phones, so that the neighbours are visible.
 */
export function Carousel3D<Item>({ label, items, keyOf, nameOf, renderCard }: Carousel3DProps<Item>) {
  const { t } = useTranslation('parts');
  const id = useId();
  const { ring, front, announced, turnBy, handlers } = useCarousel(items.length);
  const place = (index: number): string => t('carousel.position', { index: index + 1, count: items.length });
  const announcedItem = announced === undefined ? undefined : items[announced];
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
        {announcedItem !== undefined && announced !== undefined && `${nameOf(announcedItem)} · ${place(announced)}`}
      </p>
    </section>
  );
}

const CONTROL = 'button, a[href]';
/** A turn is announced once it has settled, not card by card. */
const REST_MS = 600;

/**
 * Turns a scrolling row into a carousel of `count` items: front item, navigation by keys, focus, wheel and press, and
 * mouse dragging. `ring` and `handlers` belong on the scrolling element. `announced` is the item to announce: one that came
 * to the front without focus.
 */
export function useCarousel(count: number) {
  const ring = useRef<HTMLDivElement>(null);
  const front = useFront(ring, count);
  useTurnedCards(ring, count);
  const aim = useRef<number | undefined>(undefined);
  const announced = useAnnounced(front, () => ring.current?.contains(document.activeElement) ?? false);
  useEffect(() => {
    aim.current = undefined;
  }, [front]);

  const turnTo = (index: number): void => {
    aim.current = Math.min(count - 1, Math.max(0, index));
    if (ring.current) turn(ring.current, aim.current);
  };
  /** Relative to the target, so that quick presses add up. */
  const turnBy = (step: 1 | -1): void => turnTo((aim.current ?? front) + step);
  useWheelScroll(ring, turnBy);
  const drag = useDragScroll(ring, (left) => {
    const step = carouselItems(ring.current)[0]?.offsetWidth ?? 1;
    turnTo(Math.round(left / step));
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const from = itemIndex(ring.current, event.target);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const control = carouselItems(ring.current)[to]?.querySelector<HTMLElement>(CONTROL);
    control?.focus({ preventScroll: true });
    if (control) turnTo(to);
  };
  // A press also focuses and may start a drag: only keyboard focus turns.
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
    const index = itemIndex(ring.current, target);
    if (index >= 0 && index !== front && !isPressed.current) turnTo(index);
  };
  const onClickCapture = (event: MouseEvent): void => {
    drag.onClickCapture(event);
    const index = itemIndex(ring.current, event.target);
    // Keys and screen readers activate the focused card, wherever it is.
    if (event.defaultPrevented || event.detail === 0 || index < 0 || index === front) return;
    event.preventDefault();
    event.stopPropagation();
    turnTo(index);
  };
  return {
    ring,
    front,
    announced,
    turnBy,
    handlers: { ...drag, onPointerDownCapture, onKeyDown, onFocus, onClickCapture },
  };
}

/** The settled front item, except for the first one or one announced by focus. */
function useAnnounced(front: number, isKnown: () => boolean): number | undefined {
  const [announced, setAnnounced] = useState<number>();
  const last = useRef(front);
  useEffect(() => {
    if (last.current === front) return;
    last.current = front;
    const timer = setTimeout(() => setAnnounced(isKnown() ? undefined : front), REST_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- asked when it is due, as things stand then
  }, [front]);
  return announced;
}
