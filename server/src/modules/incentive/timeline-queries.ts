import type { Currency, Minor } from '@krapao/contract/money';
import type { ConditionState, GrantState } from '@krapao/contract/states';
import type { Queryable } from '../../platform/database/database.ts';
import { done, open, type Timeline } from '../../platform/timeline.ts';
import { grantKey } from './commands.ts';
import type { ConditionKind } from './incentive.ts';

type Row = {
  id: string;
  kind: ConditionKind;
  currency: Currency;
  amount: Minor;
  state: GrantState;
  createdAt: Date;
  paidAt: Date | null;
  condition: ConditionState | null;
  endedAt: Date | null;
  clearAttempt: number | null;
};

/** An incentive of the member as a timeline: granted, credited, and the end of its condition. */
export async function findGrantTimeline(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<Timeline | undefined> {
  const { rows } = await on.query<Row>(
    `select g.id, g.kind, g.currency, g.amount, g.state, g.created_at as "createdAt", g.paid_at as "paidAt",
            c.state as condition, c.ended_at as "endedAt", c.clear_attempt as "clearAttempt"
       from incentive_grant g left join incentive_condition c on c.id = g.id
      where g.reference = $1 and g.member_id = $2`,
    [reference, memberId],
    { name: 'grant-timeline' },
  );
  const [grant] = rows;
  if (!grant) return undefined;
  const { id, kind, state, endedAt, clearAttempt } = grant;
  const isPaid = state === 'PAID';
  return {
    key: reference,
    kind: 'bonus',
    status: isPaid ? 'SUCCESS' : 'PROCESSING',
    requested: grant.amount,
    currency: grant.currency,
    from: kind === 'COUPON' ? 'LUCKYDRAW' : kind,
    to: 'WALLET',
    account: null,
    bankReference: null,
    // How the condition ended; its money was granted all the same.
    reason: endedAt ? grant.condition : null,
    steps: [
      done('granted', grant.createdAt),
      isPaid ? done('credited', grant.paidAt) : open('credited'),
      ...(endedAt ? [done('ended', endedAt)] : []),
    ],
    expectation: isPaid ? null : { method: 'bonus', since: grant.createdAt },
    operations: isPaid
      ? [
          grantKey(id),
          `${grantKey(id)}:end`,
          ...(clearAttempt === null ? [] : [`${grantKey(id)}:clear:${clearAttempt}`]),
        ]
      : [],
    links: [],
  };
}
