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
import {
  itemIndex,
  carouselItems,
  scrollToItem,
  useFrontIndex,
  useWheelScroll,
  useDragScroll,
} from './carousel-scroll.ts';
import { useTurnedCards } from './turn-cards.ts';

/**
 * Attributes for the button or link in a card: only the front card is in the tab order, and each card describes its
 * position.
 */
export type CardPosition = { tabIndex: 0 | -1; 'aria-describedby': string };

export type Carousel3DProps<Item> = {
  /** Accessible name of the carousel. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Name of an item, announced when the item reaches the front. */
  nameOf: (item: Item) => string;
  /** Renders a card of 300 × 211 px: a button or link with the given position attributes. */
  renderCard: (item: Item, position: CardPosition) => ReactNode;
};

/**
 * Carousel of three visible cards on a ring. The front card is active; pressing another card moves it to the front.
 * Moves by swipe, drag, arrow keys, Home, End, shift and wheel, or two buttons. On phones it has full width, so that
 * the neighbour cards are visible.
 */
export function Carousel3D<Item>({ label, items, keyOf, nameOf, renderCard }: Carousel3DProps<Item>) {
  const { t } = useTranslation('parts');
  const id = useId();
  const { ring, front, announced, turnBy, handlers } = useCarousel(items.length);
  const positionText = (index: number): string => t('carousel.position', { index: index + 1, count: items.length });
  const announcedItem = announced === undefined ? undefined : items[announced];
  return (
    <section aria-roledescription={t('carousel.kind')} aria-label={label} className="@container relative">
      <div ref={ring} {...handlers} className="carousel">
        {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
        <ul role="list" className="carousel-track">
          {items.map((item, index) => (
            <li key={keyOf(item)} aria-current={index === front || undefined} className="carousel-item">
              <span id={`${id}${index}`} hidden>
                {positionText(index)}
              </span>
              <div className="carousel-card">
                {renderCard(item, { tabIndex: index === front ? 0 : -1, 'aria-describedby': `${id}${index}` })}
              </div>
            </li>
          ))}
        </ul>
      </div>
      {items.length > 1 && (
        <div className="pointer-events-none absolute inset-y-0 inset-x-[max(0px,calc(50%-20rem))] hidden items-center justify-between lg:inset-x-[max(0px,calc(50%-24.5rem))] *:pointer-events-auto *:bg-ground/85 *:shadow-high sm:flex">
          <IconButton label={t('carousel.previous')} idle={front === 0} onClick={() => turnBy(-1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label={t('carousel.next')} idle={front === items.length - 1} onClick={() => turnBy(1)}>
            <ChevronRightIcon />
          </IconButton>
        </div>
      )}
      <p role="status" className="sr-only">
        {announcedItem !== undefined &&
          announced !== undefined &&
          `${nameOf(announcedItem)} · ${positionText(announced)}`}
      </p>
    </section>
  );
}

const CONTROL_SELECTOR = 'button, a[href]';
/** Delay in ms before the front card is announced, so that cards passed on the way are not announced. */
const SETTLE_MS = 600;

/**
 * State of a carousel of `count` items in a scrolling element: front item, keyboard navigation, focus, wheel, press and
 * mouse dragging. Spread `handlers` on the element with the ref `ring`. `announced` is the index of an item that came
 * to the front without focus and has to be announced.
 */
export function useCarousel(count: number) {
  const ring = useRef<HTMLDivElement>(null);
  const front = useFrontIndex(ring, count);
  useTurnedCards(ring, count);
  const targetIndex = useRef<number | undefined>(undefined);
  const announced = useAnnounced(front, () => ring.current?.contains(document.activeElement) ?? false);
  useEffect(() => {
    targetIndex.current = undefined;
  }, [front]);

  const turnTo = (index: number): void => {
    targetIndex.current = Math.min(count - 1, Math.max(0, index));
    if (ring.current) scrollToItem(ring.current, targetIndex.current);
  };
  /** Relative to the target of a running turn, so that quick presses add up. */
  const turnBy = (step: 1 | -1): void => turnTo((targetIndex.current ?? front) + step);
  useWheelScroll(ring, turnBy);
  const drag = useDragScroll(ring, (scrollLeft) => {
    const cardWidth = carouselItems(ring.current)[0]?.offsetWidth ?? 1;
    turnTo(Math.round(scrollLeft / cardWidth));
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const focusedIndex = itemIndex(ring.current, event.target);
    const nextIndex = { ArrowRight: focusedIndex + 1, ArrowLeft: focusedIndex - 1, Home: 0, End: count - 1 }[event.key];
    if (nextIndex === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const control = carouselItems(ring.current)[nextIndex]?.querySelector<HTMLElement>(CONTROL_SELECTOR);
    control?.focus({ preventScroll: true });
    if (control) turnTo(nextIndex);
  };
  // A press also focuses a card and may start a drag: only keyboard focus turns the carousel.
  const isPressed = useRef(false);
  const onPointerDownCapture = (): void => {
    isPressed.current = true;
    const endPress = (): void => {
      isPressed.current = false;
      removeEventListener('pointerup', endPress, true);
      removeEventListener('pointercancel', endPress, true);
    };
    addEventListener('pointerup', endPress, true);
    addEventListener('pointercancel', endPress, true);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    const index = itemIndex(ring.current, target);
    if (index >= 0 && index !== front && !isPressed.current) turnTo(index);
  };
  const onClickCapture = (event: MouseEvent): void => {
    drag.onClickCapture(event);
    const index = itemIndex(ring.current, event.target);
    // Clicks by keyboard or screen reader (`detail` 0) activate the focused card at any position.
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

/** Index to announce: the front item after it has settled. Omits the initial item and an item that has focus. */
function useAnnounced(front: number, hasFocus: () => boolean): number | undefined {
  const [announced, setAnnounced] = useState<number>();
  const lastFront = useRef(front);
  useEffect(() => {
    if (lastFront.current === front) return;
    lastFront.current = front;
    const timer = setTimeout(() => setAnnounced(hasFocus() ? undefined : front), SETTLE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- asked when it is due, as things stand then
  }, [front]);
  return announced;
}
