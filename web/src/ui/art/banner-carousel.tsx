import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { scrollSmoothly, useDragScroll } from '../carousel/carousel-scroll.ts';
import { Button } from '../core/button.tsx';
import { IconButton } from '../core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../core/icons.tsx';
import { SafeHtml } from '../data/safe-html.tsx';
import { Modal } from '../modal.tsx';

/** An operator's banner: an image URL ('' for none) and HTML. */
export type Banner = { image: string; html: string };

export type BannerCarouselProps = {
  /** Accessible name of the carousel. */
  label: string;
  banners: readonly Banner[];
};

/**
 * Carousel of banners, one visible at a time. Moves by swipe, drag, arrow keys, Home, End, dots, or two buttons. No
 * autoplay. A single banner has no controls.
 */
export function BannerCarousel({ label, banners }: BannerCarouselProps) {
  const { t } = useTranslation('parts');
  const { row, visibleIndex, turnTo, handlers } = useBanners(banners.length);
  const positionText = (index: number): string => t('carousel.position', { index: index + 1, count: banners.length });
  if (banners.length === 1) return banners[0] && <BannerContent {...banners[0]} />;
  return (
    <section aria-roledescription={t('carousel.kind')} aria-label={label}>
      <div className="relative">
        <div
          ref={row}
          {...handlers}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is scrolled by keys too
          tabIndex={0}
          role="group"
          aria-label={label}
          className="flex snap-x snap-mandatory overflow-x-auto overscroll-x-contain rounded-md -outline-offset-2 [scrollbar-width:none] data-dragging:cursor-grabbing data-dragging:snap-none data-turning:snap-none"
        >
          {banners.map((banner, index) => (
            // Banners out of view are inert.
            <div
              key={`${index} ${banner.image}`}
              role="group"
              aria-roledescription={t('carousel.card')}
              aria-label={positionText(index)}
              inert={index !== visibleIndex}
              className="w-full shrink-0 snap-center snap-always"
            >
              <BannerContent {...banner} />
            </div>
          ))}
        </div>
        <div className="pointer-events-none absolute inset-x-2 top-0 hidden aspect-video items-center justify-between *:pointer-events-auto *:bg-ground/85 *:shadow-high sm:flex">
          <IconButton label={t('carousel.previous')} idle={visibleIndex === 0} onClick={() => turnTo(visibleIndex - 1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton
            label={t('carousel.next')}
            idle={visibleIndex === banners.length - 1}
            onClick={() => turnTo(visibleIndex + 1)}
          >
            <ChevronRightIcon />
          </IconButton>
        </div>
      </div>
      <div className="mt-1 flex justify-center">
        {banners.map(({ image }, index) => (
          <button
            key={`${index} ${image}`}
            type="button"
            aria-label={positionText(index)}
            aria-current={index === visibleIndex || undefined}
            onClick={() => turnTo(index)}
            className="group flex h-11 max-w-11 grow items-center justify-center rounded-md -outline-offset-2"
          >
            <span className="size-2 rounded-full bg-edge transition-transform group-hover:bg-ivory group-aria-[current]:scale-150 group-aria-[current]:bg-gold" />
          </button>
        ))}
      </div>
      <p role="status" className="sr-only">
        {positionText(visibleIndex)}
      </p>
    </section>
  );
}

/**
 * State of the carousel: index of the visible banner, and navigation. Spread `handlers` on the element with the ref
 * `row`.
 */
function useBanners(count: number) {
  const row = useRef<HTMLDivElement>(null);
  const [visibleIndex, setVisibleIndex] = useState(0);
  const turnTo = (index: number): void => {
    if (row.current) scrollSmoothly(row.current, Math.min(count - 1, Math.max(0, index)) * row.current.clientWidth);
  };
  const onScroll = (): void => {
    const { scrollLeft = 0, clientWidth = 0 } = row.current ?? {};
    if (clientWidth > 0) setVisibleIndex(Math.min(count - 1, Math.max(0, Math.round(scrollLeft / clientWidth))));
  };
  const drag = useDragScroll(row, (scrollLeft) => turnTo(Math.round(scrollLeft / (row.current?.clientWidth ?? 1))));
  const onKeyDown = (event: KeyboardEvent): void => {
    const targetIndex = { ArrowRight: visibleIndex + 1, ArrowLeft: visibleIndex - 1, Home: 0, End: count - 1 }[
      event.key
    ];
    // Ignores key events from inside the operator's HTML.
    if (targetIndex === undefined || event.target !== row.current || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    turnTo(targetIndex);
  };
  return { row, visibleIndex, turnTo, handlers: { ...drag, onScroll, onKeyDown } };
}

function BannerContent({ image, html }: Banner) {
  const [hasImageFailed, setImageFailed] = useState(false);
  return (
    <>
      {image && !hasImageFailed && (
        <img
          src={image}
          alt=""
          width={640}
          height={360}
          draggable={false}
          onError={() => setImageFailed(true)}
          className="aspect-video w-full rounded-md bg-well object-cover"
        />
      )}
      {html && <SafeHtml html={html} className="px-1 pt-3" />}
    </>
  );
}

export type BannerModalProps = { title: string; banners: readonly Banner[]; onClose: () => void };

/** Shows banners before a dialog; closing the modal in any way continues to the dialog. */
export function BannerModal({ title, banners, onClose }: BannerModalProps) {
  const { t } = useTranslation('parts');
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      size="lg"
      footer={<Button onClick={onClose}>{t('carousel.goOn')}</Button>}
    >
      <BannerCarousel label={title} banners={banners} />
    </Modal>
  );
}
