import { type Minor, toWire, ZERO } from '@krapao/contract/money';
import type { gameAccount } from '@krapao/contract/endpoints/wallet';
import type { z } from 'zod';
import type { Queryable } from '../../platform/database.ts';
import { gameLedgerKind } from './game.ts';
import { selectAccounts, selectGames } from './queries.ts';

/** A game and the member's account there, as the wire says it. */
export type Slot = z.input<typeof gameAccount>;

/**
 * Every game that members see, with the member's account where there is one.
 * @param free what may be used in each ledger account of the member, by its kind
 */
export async function listGames(on: Queryable, memberId: string, free: ReadonlyMap<string, Minor>): Promise<Slot[]> {
  const [games, accounts] = await Promise.all([selectGames(on), selectAccounts(on, memberId)]);
  return games.map((game) => {
    const account = accounts.find(({ gameCode }) => gameCode === game.code);
    return {
      ...game,
      isActive: account !== undefined,
      amount: toWire(free.get(gameLedgerKind(game.code)) ?? ZERO),
      isStale: account?.isStale ?? false,
      inProgress: account?.busyWith ?? null,
    };
  });
}
