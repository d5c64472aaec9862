import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../api/wallet.ts';
import type { Currency } from '../../format/number.ts';
import { Carousel3D } from '../../ui/carousel-3d.tsx';
import type { Icon } from '../../ui/icons/icon.tsx';
import { LottoIcon, SlotIcon, SportIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
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

/** A carousel for each category that has games. */
export function GameShelves({ games = [], isLoading, currency = 'BAHT', onGame }: GameShelvesProps) {
  const { t } = useTranslation('home');
  if (isLoading) return <ShelvesToCome />;
  const shelves = categories
    .map((category) => ({ category, items: games.filter((game) => game.category === category) }))
    .filter(({ items }) => items.length > 0);
  return (
    <section aria-label={t('games')} className="shelves grid gap-x-6 gap-y-5">
      {shelves.length === 0 && <p className="py-8 text-center text-sm text-muted">{t('noGames')}</p>}
      {shelves.map(({ category, items }) => {
        const CategoryIcon = icons[category];
        return (
          <div key={category} className="min-w-0" data-wide={items.length > 1 || undefined}>
            <h2 className="flex items-center gap-2 text-base font-semibold">
              <CategoryIcon className="size-6 text-gold" />
              {t(`category.${category}`)}
            </h2>
            <div className="-mx-4 lg:mx-0">
              <Carousel3D
                label={t(`category.${category}`)}
                items={items}
                keyOf={(game) => game.code}
                renderCard={(game) => <GameCard game={game} currency={currency} onOpen={() => onGame(game)} />}
              />
            </div>
          </div>
        );
      })}
    </section>
  );
}

/** A shelf for each category, its cards where they will be. */
function ShelvesToCome() {
  return (
    <div aria-hidden="true" className="shelves grid gap-x-6 gap-y-5">
      {categories.map((category) => (
        <div key={category} data-wide>
          <Skeleton className="h-7 w-28" />
          <div className="flex h-[calc(211px+1.75rem)] items-start justify-center overflow-hidden pt-3">
            <Skeleton className="h-[211px] w-[300px] rounded-lg" />
          </div>
        </div>
      ))}
    </div>
  );
}
