import { type gameAccount, gameCategories } from '@krapao/contract/endpoints/wallet';
import type { Language } from '@krapao/contract/languages';
import { type Minor, toWire, ZERO } from '@krapao/contract/money';
import { z } from 'zod';
import type { GameProvider } from '../../adapters/game/port.ts';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { versionedCache } from '../../platform/jobs/cache.ts';
import { createOperatorVersion } from '../operator-data/index.ts';
import { canMoveOut, type Game, gameLedgerKind, isVisible, type GameDeps, type GameAccount } from './game.ts';
import {
  selectGames,
  favouriteGames,
  type ShownAccount,
  shownAccounts,
  selectAccount,
  selectAccounts,
  selectGame,
  insertGame,
} from './queries.ts';

/** A game and the member's account in wire format. */
export type WireSlot = z.input<typeof gameAccount>;

/** `freeByKind`: available balances of the member's ledger accounts, by kind. */
export type ListGames = (freeByKind: ReadonlyMap<string, Minor>, language: Language) => Promise<WireSlot[]>;

/**
 * Every visible game, with the member's account if any. The operator's changes appear within a second. Transfers and
 * launches read the current state.
 */
export function listGamesField({
  database,
  providers,
}: Pick<GameDeps, 'database' | 'providers'>): SnapshotField<ListGames> {
  const games = versionedCache(createOperatorVersion(database), () => selectGames(database));
  return snapshotField(
    `select json_build_object('accounts', (${shownAccounts.sql}), 'favourites', (${favouriteGames.sql}))`,
    (json: { accounts: never; favourites: never }) => async (freeByKind, language) =>
      listGames(await games(), {
        accounts: shownAccounts.read(json.accounts),
        favourites: favouriteGames.read(json.favourites),
        free: freeByKind,
        language,
        providers,
      }),
  );
}

type ListInput = {
  accounts: readonly ShownAccount[];
  favourites: readonly string[];
  free: ReadonlyMap<string, Minor>;
  language: Language;
};

function listGames(
  games: readonly Game[],
  { accounts, favourites, free: freeByKind, language, providers }: ListInput & Pick<GameDeps, 'providers'>,
): WireSlot[] {
  return games.flatMap(({ code, name, names, category, creditsPerUnit, logo, background, inMaintenance, ...row }) => {
    const provider = providers.get(row.provider);
    // A game whose provider is not in the outside file can't be opened or launched.
    const game = { ...row, isHidden: row.isHidden || !provider };
    const account = accounts.find(({ gameCode }) => gameCode === code);
    const amount = freeByKind.get(gameLedgerKind(code)) ?? ZERO;
    if (!isVisible(game, account, amount)) return [];
    return {
      code,
      name: names?.[language] ?? name,
      category,
      ftWalletSlot: creditsPerUnit,
      logo,
      background,
      inMaintenance,
      isHidden: game.isHidden,
      ...launchOptions(game, provider),
      isActive: account !== undefined,
      canMoveOut: account !== undefined && canMoveOut({ inMaintenance }, account, providers.get(account.provider)),
      amount: toWire(amount),
      ...accountFields(account),
      isFavourite: favourites.includes(code),
      closedUntil: openingTime(inMaintenance, game.closedUntil),
    };
  });
}

const accountFields = (account: ShownAccount | undefined) => ({
  outstanding: toWire(account?.outstanding ?? ZERO),
  turnover: toWireOrNull(account?.turnover ?? null),
  isStale: account?.isStale ?? false,
  launchedAt: account?.launchedAt ?? null,
  lastTopUp: toWireOrNull(account?.lastTopUp ?? null),
  inProgress: account?.busyWith ?? null,
});

/** When a game in maintenance opens, ISO text; null if it is open or the time is unknown. */
const openingTime = (inMaintenance: boolean, closedUntil: Date | null): string | null =>
  inMaintenance ? (closedUntil?.toISOString() ?? null) : null;

const toWireOrNull = (amount: Minor | null): number | null => (amount === null ? null : toWire(amount));

type LaunchLinks = Pick<Game, 'web' | 'android' | 'ios'>;

/** Launch methods of a game. A provider's fixed site is the web link, unless the operator has set another link. */
function launchOptions(
  { web, android, ios }: LaunchLinks,
  provider: GameProvider | undefined,
): Pick<WireSlot, 'launch' | 'launchNeedsPassword' | 'web' | 'android' | 'ios'> {
  const fillSite = (link: string | null): string | null => link?.replaceAll('{site}', provider?.site ?? '') ?? null;
  const launch = provider?.launch;
  return {
    launch: launch?.kind ?? 'link',
    launchNeedsPassword: launch?.kind === 'link' && launch.needsPassword,
    web: fillSite(web) ?? (launch?.kind === 'fixed' ? launch.address : null),
    android: fillSite(android),
    ios: fillSite(ios),
  };
}

/** A game and the member's open account there. */
export type OpenAccount = { game: Game; account: GameAccount };

/** A visible game and the member's open account there. @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT */
export async function findGameAccount(on: Queryable, memberId: string, code: string): Promise<OpenAccount> {
  const transferSource = await findTransferSource(on, memberId, code);
  if (transferSource.game.isHidden) throw new Refusal('NO_GAME');
  return transferSource;
}

/** Like {@link findGameAccount}, but includes withdrawn games: their money can be moved to the wallet. */
export async function findTransferSource(on: Queryable, memberId: string, code: string): Promise<OpenAccount> {
  const game = await selectGame(on, code);
  if (!game) throw new Refusal('NO_GAME');
  const account = await selectAccount(on, { memberId, gameCode: code });
  if (account?.state === 'ACTIVE') return { game, account };
  throw new Refusal(game.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/** A member's money in one game. `amount`: available ledger balance. `canMoveOut`: see {@link canMoveOut}. */
export type GameBalance = OpenAccount & { amount: Minor; canMoveOut: boolean };

/** Visible games with an open account, in display order, and hidden games that may have unread bets. */
export async function findGameBalances(
  { database, ledger, providers }: Pick<GameDeps, 'database' | 'ledger' | 'providers'>,
  memberId: string,
): Promise<GameBalance[]> {
  const [games, accounts] = await Promise.all([selectGames(database), selectAccounts(database, memberId)]);
  // Read after the accounts: a change in between raises an account's version, and commands based on the old version are
  // refused.
  const balances = await ledger.balances(memberId);
  return games.flatMap((game) => {
    const account = accounts.find(({ gameCode }) => gameCode === game.code);
    const balance = balances.find(({ kind }) => kind === gameLedgerKind(game.code));
    const isShown = account && (isVisible(game, account, balance?.posted ?? ZERO) || !account.areBetsKnown);
    if (!isShown) return [];
    const isMovable = canMoveOut(game, account, providers.get(account.provider));
    return [{ game, account, amount: balance?.free ?? ZERO, canMoveOut: isMovable }];
  });
}

const seedShape = z.array(
  z.object({
    code: z.string(),
    name: z.string(),
    names: z.object({ th: z.string(), la: z.string(), en: z.string() }).nullable().default(null),
    category: z.enum(gameCategories),
    provider: z.string(),
    providerGame: z.string().nullable().default(null),
    ftWalletSlot: z.int().min(1),
    logo: z.string(),
    background: z.string(),
    web: z.string().nullable().default(null),
    android: z.string().nullable().default(null),
    ios: z.string().nullable().default(null),
    inMaintenance: z.boolean().default(false),
  }),
);

/** Fills the catalogue of games from `seed/games.json`. */
export async function seedGames(tx: Tx, content: unknown): Promise<void> {
  for (const [position, { ftWalletSlot, ...game }] of seedShape.parse(content).entries()) {
    await insertGame(tx, { ...game, creditsPerUnit: ftWalletSlot }, position);
  }
}
