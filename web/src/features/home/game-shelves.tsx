import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import type { Currency } from '@krapao/contract/money';
import { Carousel3D } from '../../ui/carousel/carousel-3d.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import type { Icon } from '../../ui/icons/icon.tsx';
import { LottoIcon, SlotIcon, SportIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { GameCard } from './game-card.tsx';

/** In the order in which they stand on the page. */
const categories = ['slot', 'sport', 'lotto'] as const;
const icons: Record<GameAccount['category'], Icon> = { slot: SlotIcon, sport: SportIcon, lotto: LottoIcon };

export type GameShelvesProps = {
  games: readonly GameAccount[] | undefined;
  isLoading: boolean;
  currency: Currency | undefined;
  onGame: (game: GameAccount) => void;
};

/** A carousel for each category, or its empty state. */
export function GameShelves({ games = [], isLoading, currency = 'BAHT', onGame }: GameShelvesProps) {
  const { t } = useTranslation('home');
  // One stable function for all cards: moving a carousel re-renders none of them.
  const latest = useRef(onGame);
  useEffect(() => {
    latest.current = onGame;
  });
  const openGame = useCallback((game: GameAccount) => latest.current(game), []);
  if (isLoading) return <ShelvesSkeleton />;
  const shelves = categories.map((category) => ({
    category,
    items: games.filter((game) => game.category === category),
  }));
  return (
    <section aria-label={t('games')} className="shelves grid min-w-0 gap-x-6 gap-y-5">
      {shelves.map(({ category, items }) => {
        const CategoryIcon = icons[category];
        return (
          <div key={category} className="min-w-0" data-wide={items.length > 1 || undefined}>
            <h2 className="flex items-center gap-2 text-base font-semibold">
              <CategoryIcon className="size-6 text-gold" />
              {t(`category.${category}`)}
            </h2>
            <div className="-mx-4 narrow:-mx-2 lg:mx-0">
              {items.length === 0 ? (
                <EmptyCarousel label={t(`category.${category}`)} />
              ) : (
                <Carousel3D
                  label={t(`category.${category}`)}
                  items={items}
                  keyOf={(game) => game.code}
                  nameOf={(game) => game.name}
                  renderCard={(game, place) => (
                    <GameCard game={game} currency={currency} onOpen={openGame} {...place} />
                  )}
                />
              )}
            </div>
          </div>
        );
      })}
    </section>
  );
}

/** Same height as a carousel with cards, so that the first game causes no layout shift. */
function EmptyCarousel({ label }: { label: string }) {
  const { t } = useTranslation(['home', 'parts']);
  return (
    <section
      aria-roledescription={t('parts:carousel.kind')}
      aria-label={label}
      className="mx-auto mt-3 grid h-[211px] w-[300px] max-w-full place-items-center rounded-lg border border-dashed border-line"
    >
      <EmptyState art={null} title={t('noGames')} text={t('noGamesHint')} />
    </section>
  );
}

/** A shelf for each category, its cards where they will be. The first layout of the page passes over those that are out of sight. */
function ShelvesSkeleton() {
  return (
    <div aria-hidden="true" className="shelves grid min-w-0 gap-x-6 gap-y-5">
      {categories.map((category) => (
        <div key={category} data-wide className="shelf-skeleton">
          <Skeleton className="h-[1.7rem] w-28" />
          <div className="-mx-4 narrow:-mx-2 flex items-start justify-center overflow-hidden pt-3 lg:mx-0">
            <Skeleton className="h-[211px] w-[300px] shrink-0 rounded-lg" />
          </div>
        </div>
      ))}
    </div>
  );
}
