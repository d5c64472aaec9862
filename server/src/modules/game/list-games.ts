import { type Minor, toWire, ZERO } from '@krapao/contract/money';
import type { gameAccount } from '@krapao/contract/endpoints/wallet';
import type { z } from 'zod';
import type { GameProvider } from '../../providers/game/port.ts';
import { type Game, gameLedgerKind } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { selectAccounts, selectGames } from './queries.ts';

/** A game and the member's account there, as the wire says it. */
export type Slot = z.input<typeof gameAccount>;

/**
 * Every game that members see, with the member's account where there is one.
 * @param free what may be used in each ledger account of the member, by its kind
 */
export async function listGames(
  { database, providers }: Pick<GameAccess, 'database' | 'providers'>,
  memberId: string,
  free: ReadonlyMap<string, Minor>,
): Promise<Slot[]> {
  const [games, accounts] = await Promise.all([selectGames(database), selectAccounts(database, memberId)]);
  return games.map(({ code, name, category, ftWalletSlot, logo, background, inMaintenance, ...game }) => {
    const account = accounts.find(({ gameCode }) => gameCode === code);
    return {
      code,
      name,
      category,
      ftWalletSlot,
      logo,
      background,
      inMaintenance,
      ...waysIn(game, providers.get(game.provider)),
      isActive: account !== undefined,
      amount: toWire(free.get(gameLedgerKind(code)) ?? ZERO),
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
