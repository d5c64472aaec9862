import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../icons/shell-icons.tsx';
import { useCarousel } from './use-carousel.ts';

/** What the button of a card takes over: only the one in front is reached by Tab, and each says its place. */
export type CardPlace = { tabIndex: 0 | -1; 'aria-describedby': string };

export type Carousel3DProps<Item> = {
  /** Name of the carousel, for screen readers. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** What an item is called when it comes to the front. */
  nameOf: (item: Item) => string;
  /** One card, drawn to 300 × 211: a button or link, which takes its place over. */
  renderCard: (item: Item, place: CardPlace) => ReactNode;
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
