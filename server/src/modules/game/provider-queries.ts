import type { Queryable } from '../../platform/database/database.ts';

/** SQL condition of a game account that is being opened, has open or unknown bets, or is in a transfer. */
export const IS_BUSY_SQL = `(outstanding > 0 or busy_with is not null or state = 'OPENING' or not are_bets_known)`;

/** Busy game accounts, by provider. */
export async function countBusyAccounts(
  on: Queryable,
  providers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await on.query<{ provider: string; count: number }>(
    `select provider, count(*)::int as count from game_account
      where provider = any($1) and ${IS_BUSY_SQL} group by provider`,
    [providers],
  );
  return new Map(rows.map(({ provider, count }) => [provider, count]));
}
