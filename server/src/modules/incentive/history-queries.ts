import { hideFromPlanner } from '../../platform/database/statements.ts';
import { batchedReader } from '../../platform/database/batched-reads.ts';
import type { Minor } from '@krapao/contract/money';
import type { ConditionState } from '@krapao/contract/states';
import type { Queryable } from '../../platform/database/database.ts';
import type { ConditionKind, GrantDescription, EndedCondition } from './incentive.ts';
import { costAccount } from './commands.ts';

/** Older ends are no news any more. */
const NEWS_DAYS = 7;
const NEWS_MAX = 5;

/** Whether a bonus or promotion was given to a member in a period, or was still open in it. */
export async function hadBonusIn(
  on: Queryable,
  memberId: string,
  { from, until }: { from: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `select from incentive_grant g
       left join incentive_condition c on c.id = g.id
      where g.member_id = $1 and g.kind in ('BONUS', 'PROMOTION') and g.created_at < $3
        and (g.created_at >= $2 or (c.id is not null and coalesce(c.ended_at, 'infinity') > $2))
      limit 1`,
    [memberId, from, until],
  );
  return rowCount > 0;
}

/** What the house has given by kind, by our rows. Amounts in minor units of `currency`. */
export type GrantTotals = {
  /** The house account that it comes out of. */
  house: string;
  currency: string;
  /** Paid, less what was taken back. */
  net: bigint;
  /** Decided and not known to be credited; and being taken back. The ledger may have either already. */
  opening: bigint;
  clearing: bigint;
};

/** Sums of all grants and of what was taken back. Reads all of them: for reconciling. */
export async function sumGrants(on: Queryable): Promise<GrantTotals[]> {
  const { rows } = await on.query<Omit<GrantTotals, 'house'> & { kind: ConditionKind }>(
    `select g.kind, g.currency,
            (coalesce(sum(g.amount) filter (where g.state = 'PAID'), 0)
              - coalesce(sum(c.takes_back) filter (where c.state in ('CANCELLED', 'EXPIRED')), 0))::bigint as net,
            coalesce(sum(g.amount) filter (where g.state = 'OPEN'), 0)::bigint as opening,
            coalesce(sum(c.takes_back) filter (where c.state = 'CLEARING'), 0)::bigint as clearing
       from incentive_grant g left join incentive_condition c on c.id = g.id
      group by 1, 2 order by 1, 2`,
  );
  return rows.map(({ kind, ...sums }) => ({ ...sums, house: costAccount(kind) }));
}

type DescribedRow = Pick<GrantDescription, 'kind' | 'name'> & {
  place: bigint;
  reference: string;
  state: ConditionState | null;
  expiresAt: Date | null;
};

/** How a condition ended. One whose money is being taken back counts as ended for readers. */
export function conditionEnd(
  { state, expiresAt }: Pick<DescribedRow, 'state' | 'expiresAt'>,
  now: Date,
): GrantDescription['end'] {
  if (state === 'CLEARING') return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'CANCELLED';
  return state === 'OPENING' || state === 'ACTIVE' ? null : state;
}

/** What was given by reference, for the statement. */
export const selectDescribed = batchedReader(async (on, asked) => {
  const { rows } = await on.query<DescribedRow>(
    `select asked.place, g.reference, g.kind, g.name, c.state, c.expires_at as "expiresAt"
       from unnest(${hideFromPlanner('$1::uuid[]')}, ${hideFromPlanner('$2::text[]')}) with ordinality asked (member_id, reference, place)
      cross join lateral (
        select * from incentive_grant where member_id = asked.member_id and reference = asked.reference limit 1) g
       left join lateral (select * from incentive_condition where id = g.id limit 1) c on true`,
    [asked.map(({ memberId }) => memberId), asked.map(({ reference }) => reference)],
    { name: 'described grants' },
  );
  return rows;
});

/** Conditions of a member that ended recently without a member action, newest first. */
export async function selectEnded(on: Queryable, memberId: string, now: Date): Promise<EndedCondition[]> {
  const { rows } = await on.query<EndedCondition>(
    `select g.reference, g.kind, g.name, c.state as how, c.ended_at as "endedAt"
       from incentive_grant g join incentive_condition c on c.id = g.id
      where g.member_id = $1 and c.state in ('SUCCESS', 'FAILED', 'EXPIRED')
        and c.ended_at > $2::timestamptz - $3 * interval '1 day'
      order by c.ended_at desc limit $4`,
    [memberId, now, NEWS_DAYS, NEWS_MAX],
  );
  return rows;
}

/** Amount taken back when a condition was cancelled or expired; undefined otherwise. */
export async function selectReclaimed(on: Queryable, memberId: string, reference: string): Promise<Minor | undefined> {
  const { rows } = await on.query<{ takesBack: Minor }>(
    `select c.takes_back as "takesBack" from incentive_grant g join incentive_condition c on c.id = g.id
      where g.member_id = $1 and g.reference = $2 and c.state in ('CANCELLED', 'EXPIRED')`,
    [memberId, reference],
  );
  return rows[0]?.takesBack;
}
