import type { Currency, Minor } from '@krapao/contract/money';
import { maskedAccount } from '@krapao/contract/rules';
import { isFinal, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import {
  done,
  type Duration,
  open,
  type PendingEntry,
  stepAt,
  type Timeline,
  wireAmount,
} from '../../platform/timeline.ts';
import { holdKey } from './commands.ts';

const methodOf = (bankCode: string): string => `withdraw:${bankCode}`;

type PendingRow = { reference: string; state: WithdrawState; amount: string; bankCode: string; since: string };

/** The member's open withdrawal, its money held or not. */
export const pendingWithdrawals: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('reference', w.reference, 'state', w.state, 'amount', w.amount::text,
            'bankCode', w.bank_code, 'since', w.created_at))
     from withdraw w where w.member_id = asked.member_id and w.state not in ('PAID', 'FAILED')`,
  (rows: PendingRow[] | null) =>
    (rows ?? []).map(({ reference, state, amount, bankCode, since }) => ({
      key: reference,
      kind: 'withdraw',
      state,
      amount: wireAmount(amount),
      payAmount: null,
      place: bankCode,
      since: new Date(since).toISOString(),
      expiresAt: null,
      target: '/user/home#withdraw',
      expectation: { method: methodOf(bankCode), since: new Date(since) },
    })),
);

type Row = {
  currency: Currency;
  amount: Minor;
  bankCode: string;
  accountNo: string;
  state: WithdrawState;
  isHeld: boolean;
  refusalCode: string | null;
  reason: string | null;
  transRef: string | null;
  createdAt: Date;
  firstSentAt: Date | null;
  finishedAt: Date | null;
};

/** A withdrawal of the member as a timeline. */
export async function findWithdrawTimeline(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<Timeline | undefined> {
  const { rows } = await on.query<Row>(
    `select currency, amount, bank_code as "bankCode", account_no as "accountNo", state, is_held as "isHeld",
            refusal_code as "refusalCode", reason, trans_ref as "transRef", created_at as "createdAt",
            first_sent_at as "firstSentAt", finished_at as "finishedAt"
       from withdraw where reference = $1 and member_id = $2`,
    [reference, memberId],
    { name: 'withdraw-timeline' },
  );
  const [row] = rows;
  if (!row) return undefined;
  const { bankCode, state, createdAt } = row;
  const hasEnded = isFinal(withdrawTransitions, state);
  return {
    key: reference,
    kind: 'withdraw',
    status: state === 'PAID' ? 'SUCCESS' : hasEnded ? 'FAILED' : 'PROCESSING',
    requested: row.amount,
    currency: row.currency,
    from: 'WALLET',
    to: bankCode,
    account: maskedAccount(row.accountNo),
    bank: bankCode,
    bankReference: row.transRef,
    reason: state === 'FAILED' ? (row.refusalCode ?? row.reason) : null,
    steps: stepsOf(row),
    expectation: hasEnded ? null : { method: methodOf(bankCode), since: createdAt },
    operations: row.isHeld ? [holdKey({ reference })] : [],
    links: [],
  };
}

/** A refused withdrawal never held money; a failed one gives it back. */
function stepsOf({ state, isHeld, createdAt, firstSentAt, finishedAt }: Row): Timeline['steps'] {
  const requested = done('requested', createdAt);
  if (state === 'FAILED' && !isHeld) return [requested, stepAt('refused', finishedAt)];
  if (state !== 'FAILED') {
    return [requested, stepAt('sent', firstSentAt), state === 'PAID' ? done('paidOut', finishedAt) : open('paidOut')];
  }
  const sent = firstSentAt ? [done('sent', firstSentAt)] : [];
  return [requested, ...sent, done('refused', finishedAt), done('returned', finishedAt)];
}

/** How long payouts took, by bank. @param since id made at the beginning of the period: ids are ordered by time */
export async function selectWithdrawDurations(on: Queryable, since: string): Promise<Duration[]> {
  const { rows } = await on.query<{ bankCode: string } & Duration>(
    `select bank_code as "bankCode", count(*)::int as samples,
            percentile_cont(0.9) within group (order by extract(epoch from finished_at - created_at) * 1000) as "p90Ms"
       from (select * from withdraw where id > $1 order by id desc limit 5000) w where state = 'PAID' group by bank_code`,
    [since],
  );
  return rows.map(({ bankCode, ...duration }) => ({ ...duration, method: methodOf(bankCode) }));
}

/** How long payouts took, by bank and currency. */
export type PayoutSpeed = { bankCode: string; currency: Currency; medianMs: number; samples: number };

/** @param since id made at the beginning of the period: ids are ordered by time */
export async function selectPayoutSpeeds(on: Queryable, since: string): Promise<PayoutSpeed[]> {
  const { rows } = await on.query<PayoutSpeed>(
    `select bank_code as "bankCode", currency, count(*)::int as samples,
            percentile_cont(0.5) within group (order by extract(epoch from finished_at - created_at) * 1000) as "medianMs"
       from (select * from withdraw where id > $1 order by id desc limit 5000) w
      where state = 'PAID' group by bank_code, currency`,
    [since],
    { name: 'payout-speeds' },
  );
  return rows;
}
