import type { Language } from '@krapao/contract/languages';
import { type Minor, toWire, ZERO } from '@krapao/contract/money';
import type { gameAccount } from '@krapao/contract/endpoints/wallet';
import type { z } from 'zod';
import { type SnapshotPart, snapshotPart } from '../../platform/database/member-snapshot.ts';
import { versionedCache } from '../../platform/jobs/versioned-cache.ts';
import type { GameProvider } from '../../counterparties/game/port.ts';
import { operatorVersionOf } from '../lookup/module.ts';
import { canMoveOut, type Game, gameLedgerKind, isInSight } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { selectGames, type ShownAccount, shownAccounts } from './queries.ts';

/** A game and the member's account there, as the wire says it. */
export type Slot = z.input<typeof gameAccount>;

/** `free`: what may be used in each ledger account of the member, by its kind. Names are in the language. */
export type ListGames = (free: ReadonlyMap<string, Minor>, language: Language) => Promise<Slot[]>;

/**
 * Every game that members see, with the member's account where there is one. Changes of the games by the operator are shown
 * within a second; money moves and launches read the current state.
 */
export function listedGames({
  database,
  providers,
}: Pick<GameAccess, 'database' | 'providers'>): SnapshotPart<ListGames> {
  const games = versionedCache(operatorVersionOf(database), () => selectGames(database));
  return snapshotPart(
    shownAccounts.sql,
    (json: never) => async (free, language) =>
      listGames(await games(), { accounts: shownAccounts.read(json), free, language, providers }),
  );
}

type Shown = { accounts: readonly ShownAccount[]; free: ReadonlyMap<string, Minor>; language: Language };

function listGames(
  games: readonly Game[],
  { accounts, free, language, providers }: Shown & Pick<GameAccess, 'providers'>,
): Slot[] {
  return games.flatMap(({ code, name, names, category, ftWalletSlot, logo, background, inMaintenance, ...game }) => {
    const account = accounts.find(({ gameCode }) => gameCode === code);
    const amount = free.get(gameLedgerKind(code)) ?? ZERO;
    if (!isInSight(game, account, amount)) return [];
    return {
      code,
      name: names?.[language] ?? name,
      category,
      ftWalletSlot,
      logo,
      background,
      inMaintenance,
      isHidden: game.isHidden,
      ...waysIn(game, providers.get(game.provider)),
      isActive: account !== undefined,
      canMoveOut: account !== undefined && canMoveOut({ inMaintenance }, account, providers.get(account.provider)),
      amount: toWire(amount),
      outstanding: toWire(account?.outstanding ?? ZERO),
      turnover: wireOrNull(account?.turnover ?? null),
      isStale: account?.isStale ?? false,
      inProgress: account?.busyWith ?? null,
    };
  });
}

const wireOrNull = (amount: Minor | null): number | null => (amount === null ? null : toWire(amount));

type Links = Pick<Game, 'web' | 'android' | 'ios'>;

/** How the game opens. A game of fixed address has that as its web link, unless the operator has set another. */
function waysIn(
  { web, android, ios }: Links,
  provider: GameProvider | undefined,
): Pick<Slot, 'launch' | 'launchNeedsPassword' | 'web' | 'android' | 'ios'> {
  const here = (link: string | null): string | null => link?.replaceAll('{site}', provider?.site ?? '') ?? null;
  const launch = provider?.launch;
  return {
    launch: launch?.kind ?? 'link',
    launchNeedsPassword: launch?.kind === 'link' && launch.needsPassword,
    web: here(web) ?? (launch?.kind === 'fixed' ? launch.address : null),
    android: here(android),
    ios: here(ios),
  };
}
