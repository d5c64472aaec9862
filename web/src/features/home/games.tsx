import { type Currency, toWire } from '@krapao/contract/money';
import { useCallback, useEffect, useRef, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAmount } from '../../format/number.ts';
import { openingTime } from '../../member/opening-time.ts';
import { type GameAccount, creditAmount } from '../../member/wallet.ts';
import { HIDDEN_AMOUNT, MemberAmount, useBalanceHidden } from '../../shared/balance-display.tsx';
import { Carousel3D, type CardPosition } from '../../ui/carousel/carousel-3d.tsx';
import { GameArt, GameLogo } from '../../ui/carousel/game-art.tsx';
import type { Icon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { LottoIcon, SlotIcon, SportIcon, ClockIcon, TicketIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';

/** Game categories in display order. */
const categories = ['slot', 'sport', 'lotto'] as const;
const categoryIcons: Record<GameAccount['category'], Icon> = { slot: SlotIcon, sport: SportIcon, lotto: LottoIcon };

export type GameShelvesProps = {
  games: readonly GameAccount[] | undefined;
  isLoading: boolean;
  currency: Currency | undefined;
  onGame: (game: GameAccount) => void;
};

/** A carousel for each category, or its empty state. */
export function GameShelves({ games = [], isLoading, currency = 'BAHT', onGame }: GameShelvesProps) {
  const { t } = useTranslation('home');
  // The callback is the same at each render, so that moving a carousel re-renders no card.
  const latestOnGame = useRef(onGame);
  useEffect(() => {
    latestOnGame.current = onGame;
  });
  const openGame = useCallback((game: GameAccount) => latestOnGame.current(game), []);
  if (isLoading) return <ShelvesSkeleton />;
  const shelves = categories.map((category) => ({
    category,
    items: games.filter((game) => game.category === category),
  }));
  return (
    <section aria-label={t('games')} className="shelves grid min-w-0 gap-x-6 gap-y-5">
      {shelves.map(({ category, items }) => {
        const CategoryIcon = categoryIcons[category];
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
                  renderCard={(game, position) => (
                    <GameCard game={game} currency={currency} onOpen={openGame} {...position} />
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

/** Skeleton of each category and its cards. Cards out of view are skipped by the first layout. */
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

export type GameCardProps = CardPosition & {
  game: GameAccount;
  currency: Currency;
  onOpen: (game: GameAccount) => void;
};

/**
 * Carousel card of a game account: 300 × 211 px on every screen, so large text is limited in pixels. The content is the
 * accessible name. The focus ring is drawn inside, because outside it would be clipped by neighbour cards and the
 * layer's edge.
 */
export const GameCard = memo(function GameCard({ game, currency, onOpen, ...position }: GameCardProps) {
  return (
    <button
      type="button"
      {...position}
      onClick={() => onOpen(game)}
      className="night group relative isolate flex size-full flex-col justify-between overflow-hidden rounded-lg bg-panel text-left shadow-high ring-1 ring-gold/40 -outline-offset-2 ring-inset"
    >
      <GameArt
        category={game.category}
        src={game.background}
        className={`absolute inset-0 -z-10 size-full ${game.inMaintenance ? 'opacity-60 saturate-50' : ''}`}
      />
      <span className="flex flex-wrap items-start justify-between gap-x-2 gap-y-1 p-3">
        <span
          translate="no"
          className="flex min-w-0 items-center gap-2 rounded-full bg-well/80 py-0.5 pr-3 pl-0.5 text-sm font-semibold text-ivory narrow:text-[20px]"
        >
          <GameLogo src={game.logo} />
          {game.name}
        </span>
        <BalanceMarks game={game} />
      </span>
      <span className="block px-4 pb-3">
        {game.isActive ? <GameBalance game={game} currency={currency} /> : <OpenAccountPrompt game={game} />}
      </span>
    </button>
  );
});

function GameBalance({ game, currency }: { game: GameAccount; currency: Currency }) {
  const { t } = useTranslation('home');
  const credits = creditAmount(game);
  const isHidden = useBalanceHidden();
  const amountText = (amount: number): string => (isHidden ? HIDDEN_AMOUNT : formatAmount(amount, { currency }));
  const creditsText = credits === undefined ? '-' : amountText(toWire(credits));
  return (
    <>
      <span className="block text-xl leading-tight font-bold text-gold-lit narrow:text-[28px]">
        <MemberAmount value={game.amount} currency={currency} withSign isAnimated />
      </span>
      <span className="amount block text-sm text-muted narrow:text-[18px]">{t('credit', { credit: creditsText })}</span>
      {game.outstanding > 0 && (
        <span className="amount flex items-center gap-1 text-sm text-amber narrow:text-[18px]">
          <TicketIcon className="size-4" />
          {t('openBets', { amount: amountText(game.outstanding) })}
        </span>
      )}
    </>
  );
}

/** A game without an account looks open to play: the first press opens the account. */
function OpenAccountPrompt({ game }: { game: GameAccount }) {
  const { t } = useTranslation('home');
  const time = openingTime(game);
  return (
    <>
      <span className="block font-semibold text-gold-lit narrow:text-[22px]">
        {t(game.inMaintenance ? 'inMaintenance' : 'openAccount')}
        {time && ` – ${time}`}
      </span>
      {game.inMaintenance && <span className="block text-sm text-muted narrow:text-[18px]">{t('backLater')}</span>}
    </>
  );
}

/** Marks of an uncertain or unusable balance: pending transfer, game in maintenance, or unreachable provider. */
function BalanceMarks({ game }: { game: GameAccount }) {
  const { t } = useTranslation('home');
  const time = openingTime(game);
  const markClass =
    'flex items-center gap-1 rounded-full bg-amber-deep px-2.5 py-0.5 text-xs font-medium text-amber narrow:text-[16px]';
  if (game.inProgress)
    return (
      <span className={markClass}>
        <Spinner className="size-3.5" />
        {t('inProgress')}
      </span>
    );
  if (!game.isActive || !(game.inMaintenance || game.isStale)) return null;
  return (
    <span className={markClass}>
      <ClockIcon className="size-3.5" />
      {t(game.inMaintenance ? 'inMaintenance' : 'stale')}
      {time && ` – ${time}`}
    </span>
  );
}
