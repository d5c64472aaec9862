import type { Queryable } from '../../platform/database/database.ts';

/** Game accounts with open bets or a pending transfer, by provider. */
export async function countBusyAccounts(
  on: Queryable,
  providers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await on.query<{ provider: string; count: number }>(
    `select provider, count(*)::int as count from game_account
      where provider = any($1) and (outstanding > 0 or busy_with is not null) group by provider`,
    [providers],
  );
  return new Map(rows.map(({ provider, count }) => [provider, count]));
}
