import type { Minor } from '@krapao/contract/money';
import type { Period } from '../../ledger/index.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { afterCursorSql, cursorSql, nextCursor, type PageRequest } from '../../platform/database/paging.ts';
import type { MemberRef } from '../incentive/index.ts';
import type { RefundCalculation } from './refund.ts';

/** Whether a refund was already given for any day of a period. */
export async function hasRefund(on: Queryable, memberId: string, { from, until }: Period): Promise<boolean> {
  const { rowCount } = await on.query(
    'select from refund where member_id = $1 and period_from < $3 and period_to > $2 limit 1',
    [memberId, from, until],
  );
  return rowCount > 0;
}

export async function insertRefund(
  tx: Tx,
  member: MemberRef,
  refund: Period & RefundCalculation & { percent: number; source: string; at: Date },
): Promise<void> {
  await tx.query(
    `insert into refund (member_id, period_from, period_to, currency, paid_in, lost, percent, amount, source, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      member.id,
      refund.from,
      refund.until,
      member.currency,
      refund.paidIn,
      refund.lostAmount,
      refund.percent,
      refund.amount,
      refund.source,
      refund.at,
    ],
  );
}

const REFUND_ORDER = { time: 'created_at', key: 'period_from', keyType: 'timestamptz' } as const;

/** A page of refunds, newest first, without the given sources. */
export async function selectRefunds(
  on: Queryable,
  memberId: string,
  excludedSources: readonly string[],
  request: PageRequest,
): Promise<{ total: number; refunds: { amount: Minor; createdAt: Date }[]; next: string | undefined }> {
  const { page, limit, before = null } = request;
  const { rows: totalRows } = await on.query<{ total: number }>(
    `select count(*)::int as total from refund where member_id = $1 and source <> all($2) and ${afterCursorSql(REFUND_ORDER, '$3')}`,
    [memberId, excludedSources, before],
  );
  const { rows: refunds } = await on.query<{ amount: Minor; createdAt: Date; cursor: string }>(
    `select amount, created_at as "createdAt", ${cursorSql(REFUND_ORDER)} as cursor from refund
      where member_id = $1 and source <> all($2) and ${afterCursorSql(REFUND_ORDER, '$5')}
      order by created_at desc, period_from desc limit $3 offset $4`,
    [memberId, excludedSources, limit, (page - 1) * limit, before],
  );
  const total = totalRows[0]?.total ?? 0;
  return { total, refunds, next: nextCursor(request, { total, last: refunds.at(-1)?.cursor }) };
}

/** A refund as operators see it. `paidIn`: deposits less withdrawals and rewards; `lost`: by play. */
export type CalculatedRefund = { from: Date; until: Date; paidIn: Minor; lost: Minor; amount: Minor };

/** All refunds of a member, credited or not, oldest first. */
export async function selectCalculatedRefunds(on: Queryable, memberId: string): Promise<CalculatedRefund[]> {
  const { rows } = await on.query<CalculatedRefund>(
    `select period_from as "from", period_to as "until", paid_in as "paidIn", lost, amount
       from refund where member_id = $1 order by period_from`,
    [memberId],
  );
  return rows;
}
