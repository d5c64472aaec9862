import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from './icons/shell-icons.tsx';
import { useCarousel } from './use-carousel.ts';

export type Carousel3DProps<Item> = {
  /** Name of the carousel, for screen readers. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** One card, drawn to 300 × 211. `isFront`: it is the one in the middle; give the others `tabIndex={-1}`. */
  renderCard: (item: Item, isFront: boolean) => ReactNode;
};

/**
 * Cards on a ring: three to be seen, the middle one to use; pressing another brings it to the front. Swipe, drag, arrow
 * keys, the wheel, or the two buttons. On phones let it run from edge to edge, so that the neighbours show.
 */
export function Carousel3D<Item>({ label, items, keyOf, renderCard }: Carousel3DProps<Item>) {
  const { t } = useTranslation('parts');
  const { ring, front, turnTo, handlers } = useCarousel(items.length);
  return (
    <section aria-roledescription="carousel" aria-label={label} className="@container relative">
      <div ref={ring} {...handlers} className="carousel">
        <ul className="carousel-track">
          {items.map((item, index) => (
            <li key={keyOf(item)} aria-current={index === front || undefined} className="carousel-item">
              <div className="carousel-card">{renderCard(item, index === front)}</div>
            </li>
          ))}
        </ul>
      </div>
      {items.length > 1 && (
        <div className="pointer-events-none absolute inset-y-0 right-0 left-0 hidden items-center justify-between px-2 *:pointer-events-auto *:bg-ground/85 *:shadow-high sm:flex">
          <IconButton label={t('carousel.previous')} disabled={front === 0} onClick={() => turnTo(front - 1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton
            label={t('carousel.next')}
            disabled={front === items.length - 1}
            onClick={() => turnTo(front + 1)}
          >
            <ChevronRightIcon />
          </IconButton>
        </div>
      )}
    </section>
  );
}
