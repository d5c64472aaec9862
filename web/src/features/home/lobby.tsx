import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { formatTime } from '../../format/date.ts';
import { useLookup } from '../../api/lookup.ts';
import { nextTopUp } from '../../member/last-top-ups.ts';
import { openTab } from '../../shared/open-tab.ts';
import { recentlyPlayed } from '../../shared/play-again.ts';
import { MemberAmount } from '../../member/balance-display.tsx';
import { useMoney } from '../../member/money.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { GameLogo } from '../../ui/carousel/game-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { SearchIcon, StarIcon } from '../../ui/data/member-icons.tsx';
import { Modal } from '../../ui/modal.tsx';

const ROW_MAX = 12;

/**
 * Games of the row: recently played, then favourites, then popular, each once; without games that can't be played.
 * @param popular codes, most popular first
 */
export function lobbyGames(
  games: readonly GameAccount[],
  popular: readonly string[],
  nowMs: number,
): readonly GameAccount[] {
  const open = games.filter(({ isHidden, inMaintenance }) => !isHidden && !inMaintenance);
  const recent = recentlyPlayed(open, nowMs);
  const favourites = open.filter(({ isFavourite }) => isFavourite);
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
  /** Plays in a tab, or in the app's own without one. `amount`: to move in, 0 for none. */
  onPlay: (game: GameAccount, tab: Window | undefined, amount: number) => void;
};

/** One row of games above the shelves, with a search over all of them. */
export function Lobby({ games, free, now, onGame, onPlay }: LobbyProps) {
  const { t } = useTranslation(['lobby', 'parts']);
  const [isSearching, setSearching] = useState(false);
  const { data } = useQuery({ ...apiQuery('GET /api/lookup/popular', { quiet: true }), staleTime: Infinity });
  const row = lobbyGames(games, data?.games ?? [], now);
  const [first] = row;
  const last = first?.launchedAt && !first.inProgress ? first : undefined;
  return (
    <section
      aria-roledescription={t('parts:carousel.kind')}
      aria-label={t('row')}
      className="-mx-4 flex h-20 items-start gap-1 narrow:-mx-2 lg:mx-0"
    >
      <LobbyButton label={t('search')} onClick={() => setSearching(true)} className="ml-3 lg:ml-0">
        <span className="grid size-12 place-items-center rounded-full bg-raised ring-1 ring-line">
          <SearchIcon className="size-6 text-gold" />
        </span>
      </LobbyButton>
      <ul className="flex min-w-0 grow snap-x gap-1 overflow-x-auto pr-4 [scrollbar-width:none]">
        {last && <QuickPlayCard game={last} free={free} onPlay={onPlay} />}
        {row.map((game) => (
          <li key={game.code} className="snap-start">
            <LobbyButton label={game.name} onClick={() => onGame(game)}>
              <GameMark game={game} />
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

type QuickPlayCardProps = { game: GameAccount } & Pick<LobbyProps, 'free' | 'onPlay'>;

/** Plays the last game by one press, with the amount of the last time. */
function QuickPlayCard({ game, free, onPlay }: QuickPlayCardProps) {
  const { t } = useTranslation('lobby');
  const { format } = useMoney();
  const { data: site } = useLookup('GET /api/lookup/info', true);
  const amount = nextTopUp(game, free);
  const values = { name: game.name, amount: format(amount) };
  const play = (): void => {
    const tab = site?.gameTab === 'same' ? undefined : openTab(t('opening', { name: game.name }));
    onPlay(game, tab, amount);
  };
  return (
    <li className="snap-start">
      <button
        type="button"
        aria-label={t(amount > 0 ? 'quickPlay' : 'quickPlayAgain', values)}
        onClick={play}
        className="flex h-14 items-center gap-2 rounded-full bg-lacquer py-1 pr-4 pl-1 text-on-lacquer shadow-low ring-1 ring-gold/40 -outline-offset-2 ring-inset hover:bg-lacquer-lit"
      >
        <GameMark game={game} />
        <span className="grid text-left text-sm leading-tight whitespace-nowrap">
          <span className="max-w-28 truncate">{game.name}</span>
          <span className="amount font-bold">{t(amount > 0 ? 'play' : 'playAgain', values)}</span>
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
      className={`flex w-16 flex-col items-center gap-0.5 rounded-md -outline-offset-2 ${className}`}
    >
      {children}
      <span className="w-full truncate text-center text-xs text-muted">{label}</span>
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

/** Text for comparison: without case, spaces and accents. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\s\u0300-\u036f]/g, '')
    .toLowerCase();

/** Games whose name or code contains the text. */
export function findGames(games: readonly GameAccount[], text: string, category: Category): readonly GameAccount[] {
  const needle = folded(text);
  return games.filter(
    (game) =>
      !game.isHidden &&
      (category === 'all' || (category === 'favourite' ? game.isFavourite : game.category === category)) &&
      [game.name, game.code].some((name) => folded(name).includes(needle)),
  );
}

type GameSearchProps = Pick<LobbyProps, 'games' | 'onGame'> & { onClose: () => void };

function GameSearch({ games, onGame, onClose }: GameSearchProps) {
  const { t } = useTranslation(['lobby', 'home']);
  const { currency } = useMoney();
  const [text, setText] = useState('');
  const [category, setCategory] = useState<Category>('all');
  const found = useDeferredValue(findGames(games, text, category));
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
      <div role="group" aria-label={t('categories')} className="mb-2 flex flex-wrap gap-2">
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
          <li key={game.code} className="border-b border-line last:border-b-0">
            <button
              type="button"
              onClick={() => onGame(game)}
              className="flex min-h-16 w-full items-center gap-3 rounded-md text-left -outline-offset-2"
            >
              <GameMark game={game} />
              <span className="min-w-0 grow font-medium break-words">{game.name}</span>
              {game.isFavourite && <StarIcon className="size-5 text-gold" />}
              {game.inMaintenance ? (
                <span className="text-sm text-amber">
                  {game.closedUntil
                    ? t('closedUntil', { time: formatTime(game.closedUntil) })
                    : t('home:inMaintenance')}
                </span>
              ) : (
                game.isActive && <MemberAmount value={game.amount} currency={currency} withSign />
              )}
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
