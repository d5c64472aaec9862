import type { Minor } from '@krapao/contract/money';
import type { ConditionState } from '@krapao/contract/states';
import { batchedReader } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import { costAccount } from './commands.ts';
import type { ConditionKind, GrantDescription, EndedCondition } from './incentive.ts';

/** Ended conditions are shown for this number of days. */
const ENDED_SHOWN_DAYS = 7;
const ENDED_SHOWN_MAX = 5;

/** Whether the member was granted a bonus or promotion in a period, or had one open in it. */
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

/** Totals of granted money by kind, from the module's own rows. Amounts in minor units of `currency`. */
export type GrantTotals = {
  /** House account that pays the grants. */
  houseAccount: string;
  currency: string;
  /** Paid amount less the amount taken back. */
  net: bigint;
  /** `opening`: decided, credit unconfirmed. `clearing`: being taken back. The ledger may already contain either. */
  opening: bigint;
  clearing: bigint;
};

/** Totals of all grants and of amounts taken back. Reads every row: for reconciliation. */
export async function sumGrants(on: Queryable): Promise<GrantTotals[]> {
  const { rows } = await on.query<Omit<GrantTotals, 'houseAccount'> & { kind: ConditionKind }>(
    `select g.kind, g.currency,
            (coalesce(sum(g.amount) filter (where g.state = 'PAID'), 0)
              - coalesce(sum(c.takes_back) filter (where c.state in ('CANCELLED', 'EXPIRED')), 0))::bigint as net,
            coalesce(sum(g.amount) filter (where g.state = 'OPEN'), 0)::bigint as opening,
            coalesce(sum(c.takes_back) filter (where c.state = 'CLEARING'), 0)::bigint as clearing
       from incentive_grant g left join incentive_condition c on c.id = g.id
      group by 1, 2 order by 1, 2`,
  );
  return rows.map(({ kind, ...totals }) => ({ ...totals, houseAccount: costAccount(kind) }));
}

type GrantDescriptionRow = Pick<GrantDescription, 'kind' | 'name'> & {
  place: bigint;
  reference: string;
  state: ConditionState | null;
  expiresAt: Date | null;
};

/** How a condition ended. A condition whose money is being taken back counts as ended. */
export function conditionEnd(
  { state, expiresAt }: Pick<GrantDescriptionRow, 'state' | 'expiresAt'>,
  now: Date,
): GrantDescription['end'] {
  if (state === 'CLEARING') return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'CANCELLED';
  return state === 'OPENING' || state === 'ACTIVE' ? null : state;
}

/** Kind, name and end of grants by reference, for the statement. */
export const selectDescribed = batchedReader(async (on, requests) => {
  const { rows } = await on.query<GrantDescriptionRow>(
    `select asked.place, g.reference, g.kind, g.name, c.state, c.expires_at as "expiresAt"
       from unnest(${hideFromPlanner('$1::uuid[]')}, ${hideFromPlanner('$2::text[]')}) with ordinality asked (member_id, reference, place)
      cross join lateral (
        select * from incentive_grant where member_id = asked.member_id and reference = asked.reference limit 1) g
       left join lateral (select * from incentive_condition where id = g.id limit 1) c on true`,
    [requests.map(({ memberId }) => memberId), requests.map(({ reference }) => reference)],
    { name: 'described grants' },
  );
  return rows;
});

/** A member's conditions that ended recently without a member action, newest first. */
export async function selectEnded(on: Queryable, memberId: string, now: Date): Promise<EndedCondition[]> {
  const { rows } = await on.query<EndedCondition>(
    `select g.reference, g.kind, g.name, c.state as how, c.ended_at as "endedAt"
       from incentive_grant g join incentive_condition c on c.id = g.id
      where g.member_id = $1 and c.state in ('SUCCESS', 'FAILED', 'EXPIRED')
        and c.ended_at > $2::timestamptz - $3 * interval '1 day'
      order by c.ended_at desc limit $4`,
    [memberId, now, ENDED_SHOWN_DAYS, ENDED_SHOWN_MAX],
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
