import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { glide, useDragScroll } from '../carousel/carousel-scroll.ts';
import { IconButton } from '../core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../core/icons.tsx';
import { SafeHtml } from '../data/safe-html.tsx';
import { Button } from '../core/button.tsx';
import { Modal } from '../modal.tsx';

/** An operator's banner: an image URL or none, and html. */
export type Banner = { image: string; html: string };

export type BannerCarouselProps = {
  /** Name of the carousel, for screen readers. */
  label: string;
  banners: readonly Banner[];
};

/**
 * Banners, one visible at a time: swipe, drag, arrow keys, Home and End, the dots, or the two buttons. No autoplay. A
 * single banner has no controls.
 */
export function BannerCarousel({ label, banners }: BannerCarouselProps) {
  const { t } = useTranslation('parts');
  const { row, front, turnTo, handlers } = useBanners(banners.length);
  const place = (index: number): string => t('carousel.position', { index: index + 1, count: banners.length });
  if (banners.length === 1) return banners[0] && <BannerFace {...banners[0]} />;
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
            // Hidden banners are inert.
            <div
              key={`${index} ${banner.image}`}
              role="group"
              aria-roledescription={t('carousel.card')}
              aria-label={place(index)}
              inert={index !== front}
              className="w-full shrink-0 snap-center snap-always"
            >
              <BannerFace {...banner} />
            </div>
          ))}
        </div>
        <div className="pointer-events-none absolute inset-x-2 top-0 hidden aspect-video items-center justify-between *:pointer-events-auto *:bg-ground/85 *:shadow-high sm:flex">
          <IconButton label={t('carousel.previous')} idle={front === 0} onClick={() => turnTo(front - 1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label={t('carousel.next')} idle={front === banners.length - 1} onClick={() => turnTo(front + 1)}>
            <ChevronRightIcon />
          </IconButton>
        </div>
      </div>
      <div className="mt-1 flex justify-center">
        {banners.map(({ image }, index) => (
          <button
            key={`${index} ${image}`}
            type="button"
            aria-label={place(index)}
            aria-current={index === front || undefined}
            onClick={() => turnTo(index)}
            className="group flex h-11 max-w-11 grow items-center justify-center rounded-md -outline-offset-2"
          >
            <span className="size-2 rounded-full bg-edge transition-transform group-hover:bg-ivory group-aria-[current]:scale-150 group-aria-[current]:bg-gold" />
          </button>
        ))}
      </div>
      <p role="status" className="sr-only">
        {place(front)}
      </p>
    </section>
  );
}

/** Index of the visible banner and navigation. `row` and `handlers` belong on the scrolling element. */
function useBanners(count: number) {
  const row = useRef<HTMLDivElement>(null);
  const [front, setFront] = useState(0);
  const turnTo = (index: number): void => {
    if (row.current) glide(row.current, Math.min(count - 1, Math.max(0, index)) * row.current.clientWidth);
  };
  const onScroll = (): void => {
    const { scrollLeft = 0, clientWidth = 0 } = row.current ?? {};
    if (clientWidth > 0) setFront(Math.min(count - 1, Math.max(0, Math.round(scrollLeft / clientWidth))));
  };
  const drag = useDragScroll(row, (left) => turnTo(Math.round(left / (row.current?.clientWidth ?? 1))));
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowRight: front + 1, ArrowLeft: front - 1, Home: 0, End: count - 1 }[event.key];
    // Key events inside the operator's html are its own.
    if (to === undefined || event.target !== row.current || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turnTo(to);
  };
  return { row, front, turnTo, handlers: { ...drag, onScroll, onKeyDown } };
}

function BannerFace({ image, html }: Banner) {
  const [isMissing, setMissing] = useState(false);
  return (
    <>
      {image && !isMissing && (
        <img
          src={image}
          alt=""
          width={640}
          height={360}
          draggable={false}
          onError={() => setMissing(true)}
          className="aspect-video w-full rounded-md bg-well object-cover"
        />
      )}
      {html && <SafeHtml html={html} className="px-1 pt-3" />}
    </>
  );
}

export type BannerModalProps = { title: string; banners: readonly Banner[]; onClose: () => void };

/** Banners before a dialog; closing them in any way continues. */
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
