import type { Queryable } from '../../platform/database/database.ts';

/** What may or may not have moved, in hundredths of a credit, by provider and direction. */
export type OpenCredits = { provider: string; direction: 'in' | 'out'; credits: bigint };

/** Legs that are not over: their money is where nobody knows yet. */
export async function selectOpenCredits(on: Queryable): Promise<OpenCredits[]> {
  const { rows } = await on.query<OpenCredits>(
    `select provider, direction, sum(credits)::bigint as credits from transfer_leg
      where state not in ('DONE', 'REVERSED') group by provider, direction`,
  );
  return rows;
}
