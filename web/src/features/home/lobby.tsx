import { matchesSearch } from '@krapao/contract/text/search-text';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOperatorData } from '../../api/operator-data.ts';
import { apiQuery } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { openingTime } from '../../member/opening-time.ts';
import { nextTopUp, type QuickPlay } from '../../member/quick-play.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { MemberAmount, MemberMoneyText } from '../../shared/balance-display.tsx';
import { FavouriteButton } from '../../shared/favourite-button.tsx';
import { createQuickPlay, recentlyPlayed } from '../../shared/play-again.ts';
import { GameLogo } from '../../ui/carousel/game-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ClockIcon, SearchIcon } from '../../ui/data/member-icons.tsx';
import { Modal } from '../../ui/modal.tsx';

const ROW_MAX = 12;

/**
 * Games of the row: recently played, then favourites, then popular, each once. A popular game that is closed is left
 * out; the member's own games stay, and say until when they are closed.
 * @param popular codes, most popular first
 */
export function lobbyGames(
  games: readonly GameAccount[],
  popular: readonly string[],
  nowMs: number,
): readonly GameAccount[] {
  const offered = games.filter(({ isHidden }) => !isHidden);
  const open = offered.filter(({ inMaintenance }) => !inMaintenance);
  const recent = recentlyPlayed(offered, nowMs);
  const favourites = offered.filter(({ isFavourite }) => isFavourite);
  const known = popular.flatMap((code) => open.filter((game) => game.code === code));
  // A new site has no popular games yet: the operator's order replaces them.
  return [...new Set([...recent, ...favourites, ...(known.length > 0 ? known : open)])].slice(0, ROW_MAX);
}

export type LobbyProps = {
  games: readonly GameAccount[];
  /** Free amount of the wallet, in wire format. */
  free: number;
  now: number;
  onGame: (game: GameAccount) => void;
  onPlay: (game: GameAccount, quickPlay: QuickPlay) => void;
};

/** One row of games above the shelves, with a search over all of them. */
export function Lobby({ games, free, now, onGame, onPlay }: LobbyProps) {
  const { t } = useTranslation(['lobby', 'parts']);
  const [isSearching, setSearching] = useState(false);
  const { data } = useQuery({ ...apiQuery('GET /api/lookup/popular', { quiet: true }), staleTime: Infinity });
  const row = lobbyGames(games, data?.games ?? [], now);
  const [first] = row;
  const last = first?.launchedAt && !first.inProgress && !first.inMaintenance ? first : undefined;
  const listRef = useRef<HTMLUListElement>(null);
  // Scroll anchoring would keep a game that was just played out of sight.
  useEffect(() => {
    listRef.current?.scrollTo({ left: 0 });
  }, [last?.code]);
  return (
    <section
      aria-roledescription={t('parts:carousel.kind')}
      aria-label={t('row')}
      className="-mx-4 flex h-23 items-start gap-2 narrow:-mx-2 lg:mx-0"
    >
      <LobbyButton label={t('search')} onClick={() => setSearching(true)} className="ml-3 lg:ml-0">
        <span className="grid size-12 place-items-center rounded-full bg-raised ring-1 ring-line">
          <SearchIcon className="size-6 text-gold" />
        </span>
      </LobbyButton>
      <ul ref={listRef} className="flex min-w-0 grow snap-x gap-2 overflow-x-auto pr-4 [scrollbar-width:none]">
        {last && <QuickPlayCard game={last} free={free} onPlay={onPlay} />}
        {row.map((game) => (
          <li key={game.code} className="snap-start">
            <LobbyButton label={game.name} onClick={() => onGame(game)}>
              <span className="relative">
                <GameMark game={game} />
                {game.inMaintenance && <ClosedBadge game={game} />}
              </span>
            </LobbyButton>
          </li>
        ))}
      </ul>
      {isSearching && (
        <GameSearch
          games={games}
          onClose={() => setSearching(false)}
          onGame={(game) => {
            setSearching(false);
            onGame(game);
          }}
        />
      )}
    </section>
  );
}

/** Says in the row that a game is closed, and until when if that is known. */
function ClosedBadge({ game }: { game: GameAccount }) {
  const { t } = useTranslation(['lobby', 'home']);
  const time = openingTime(game);
  return (
    <>
      <span
        aria-hidden="true"
        className="absolute -bottom-1 left-1/2 -translate-x-1/2 rounded-full bg-amber-deep px-1.5 text-[11px] leading-4 font-medium whitespace-nowrap text-amber"
      >
        {/* Without the year, which has no room. */}
        {time?.replace(/\/\d{4}/, '') ?? <ClockIcon className="size-4" />}
      </span>
      <span className="sr-only">{time ? t('closedUntil', { time }) : t('home:inMaintenance')}</span>
    </>
  );
}

type QuickPlayCardProps = { game: GameAccount } & Pick<LobbyProps, 'free' | 'onPlay'>;

/** Plays the last game by one press, with the amount of the last time. */
function QuickPlayCard({ game, free, onPlay }: QuickPlayCardProps) {
  const { t } = useTranslation('lobby');
  const { data: site } = useOperatorData('GET /api/lookup/info', true);
  const amount = nextTopUp(game, free);
  const play = (): void => {
    const waitingText = site?.gameTab === 'same' ? undefined : t('opening', { name: game.name });
    onPlay(game, createQuickPlay(game, amount, waitingText));
  };
  return (
    <li className="snap-start">
      <button
        type="button"
        onClick={play}
        className="flex h-14 items-center gap-2 rounded-full bg-lacquer py-1 pr-4 pl-1 text-on-lacquer shadow-low ring-1 ring-gold/40 -outline-offset-2 ring-inset hover:bg-lacquer-lit"
      >
        <GameMark game={game} />
        {/* The name of the button begins with the action, unlike that of the game's card. */}
        <span className="flex flex-col-reverse text-left text-sm leading-tight whitespace-nowrap">
          <span className="amount font-bold">
            {amount > 0 ? <MemberMoneyText text={(format) => t('play', { amount: format(amount) })} /> : t('playAgain')}
          </span>
          <span className="max-w-28 truncate">{game.name}</span>
        </span>
      </button>
    </li>
  );
}

type LobbyButtonProps = { label: string; onClick: () => void; className?: string; children: ReactNode };

function LobbyButton({ label, onClick, className = '', children }: LobbyButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={`flex w-min min-w-19 shrink-0 flex-col items-center gap-0.5 rounded-md px-0.5 -outline-offset-2 ${className}`}
    >
      {children}
      <span className="line-clamp-2 w-full text-center text-xs wrap-normal text-balance text-muted">{label}</span>
    </button>
  );
}

/** The game's logo, or its first letters. */
function GameMark({ game }: { game: GameAccount }) {
  return (
    <span className="grid size-12 place-items-center overflow-hidden rounded-full bg-raised text-sm font-bold text-gold ring-1 ring-line *:col-start-1 *:row-start-1">
      <span aria-hidden="true">{game.name.slice(0, 2)}</span>
      <GameLogo src={game.logo} className="size-12" />
    </span>
  );
}

const categories = ['slot', 'sport', 'lotto'] as const;
type Category = (typeof categories)[number] | 'all' | 'favourite';
const filters: readonly Category[] = ['all', 'favourite', ...categories];

type GameNames = Reply<'GET /api/lookup/games'>['games'][number];

/** Games of a category whose name, code or provider contains the text, in any language. Closed games are last. */
export function findGames(
  games: readonly GameAccount[],
  { text, category, names }: { text: string; category: Category; names: readonly GameNames[] },
): readonly GameAccount[] {
  const namesOf = new Map(names.map((entry) => [entry.code, entry.names]));
  return games
    .filter(
      (game) =>
        !game.isHidden &&
        (category === 'all' || (category === 'favourite' ? game.isFavourite : game.category === category)) &&
        matchesSearch([game.name, game.code, ...(namesOf.get(game.code) ?? [])], text),
    )
    .toSorted((one, other) => Number(one.inMaintenance) - Number(other.inMaintenance));
}

type GameSearchProps = Pick<LobbyProps, 'games' | 'onGame'> & { onClose: () => void };

function GameSearch({ games, onGame, onClose }: GameSearchProps) {
  const { t } = useTranslation(['lobby', 'home']);
  const [text, setText] = useState('');
  const [category, setCategory] = useState<Category>('all');
  // Until the providers are known, a search finds names and codes.
  const { data } = useOperatorData('GET /api/lookup/games', true);
  const names = data?.games ?? [];
  const found = useDeferredValue(findGames(games, { text, category, names }));
  return (
    <Modal open onClose={onClose} title={t('search')}>
      <TextInput
        label={t('searchLabel')}
        type="search"
        autoComplete="off"
        enterKeyHint="search"
        maxLength={64}
        data-autofocus
        value={text}
        leadIcon={<SearchIcon className="size-5" />}
        onChange={({ target }) => setText(target.value)}
      />
      <div role="group" aria-label={t('categories')} className="my-2 flex flex-wrap gap-2">
        {filters.map((filter) => (
          <Button
            key={filter}
            variant="quiet"
            size="sm"
            aria-pressed={category === filter}
            onClick={() => setCategory(filter)}
            className="aria-pressed:bg-gold aria-pressed:text-well"
          >
            {filter === 'all' || filter === 'favourite' ? t(filter) : t(`home:category.${filter}`)}
          </Button>
        ))}
      </div>
      <p role="status" className="text-sm text-muted">
        {t('found', { count: found.length })}
      </p>
      {found.length === 0 && <EmptyState title={t('none')} text={t('noneHint')} />}
      <ul>
        {found.map((game) => (
          <FoundGame
            key={game.code}
            game={game}
            provider={names.find(({ code }) => code === game.code)?.provider}
            onGame={onGame}
          />
        ))}
      </ul>
    </Modal>
  );
}

type FoundGameProps = Pick<LobbyProps, 'onGame'> & { game: GameAccount; provider: string | undefined };

function FoundGame({ game, provider, onGame }: FoundGameProps) {
  const { t } = useTranslation(['lobby', 'home']);
  const { currency } = useCurrency();
  const time = openingTime(game);
  return (
    <li className="flex items-center gap-2 border-b border-line py-1 last:border-b-0">
      <button
        type="button"
        onClick={() => onGame(game)}
        className="flex min-h-14 min-w-0 grow items-center gap-3 rounded-md text-left -outline-offset-2"
      >
        <GameMark game={game} />
        <span className="min-w-0 grow leading-tight font-medium break-words">
          {game.name}
          {provider && provider !== game.name && (
            <span translate="no" className="block text-xs font-normal text-muted">
              {provider}
            </span>
          )}
        </span>
        {game.inMaintenance ? (
          <span className="max-w-[45%] text-right text-sm text-amber">
            {time ? t('closedUntil', { time }) : t('home:inMaintenance')}
          </span>
        ) : (
          game.isActive && <MemberAmount value={game.amount} currency={currency} withSign />
        )}
      </button>
      <FavouriteButton game={game} label={t('star', { name: game.name })} className="-mr-2" />
    </li>
  );
}
