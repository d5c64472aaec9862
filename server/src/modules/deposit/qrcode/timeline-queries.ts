import type { Currency, Minor } from '@krapao/contract/money';
import { maskedAccount } from '@krapao/contract/rules';
import { isFinal, type QrcodeState, qrcodeTransitions } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../../platform/database/batched-reads.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { done, open, type PendingEntry, stepAt, type Timeline, wireAmount } from '../../../platform/timeline.ts';

type PendingRow = {
  id: string;
  reference: string;
  gateway: string;
  state: QrcodeState;
  amount: string;
  payAmount: string | null;
  since: string;
  expiresAt: string | null;
};

/** The member's codes that can still be paid. */
export const pendingQrcodes: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('id', q.id, 'reference', q.reference, 'gateway', q.gateway, 'state', q.state,
            'amount', q.amount::text, 'payAmount', q.pay_amount::text, 'since', q.created_at, 'expiresAt', q.expires_at))
     from qrcode q
    where q.member_id = asked.member_id and q.state in ('CREATING', 'PENDING') and coalesce(q.expires_at > now(), true)`,
  (rows: PendingRow[] | null) =>
    (rows ?? []).map(({ id, reference, gateway, state, amount, payAmount, since, expiresAt }) => ({
      key: reference,
      kind: 'qr',
      state,
      amount: wireAmount(amount),
      payAmount: payAmount === null ? null : wireAmount(payAmount),
      place: gateway,
      since: new Date(since).toISOString(),
      expiresAt: expiresAt && new Date(expiresAt).toISOString(),
      target: `/user/home#deposit=${id}`,
      expectation: expiresAt === null ? creationExpectation(new Date(since)) : { until: new Date(expiresAt) },
    })),
);

// No samples: the usual minute of a deposit.
const creationExpectation = (since: Date) => ({ method: 'qr', since });

type Row = {
  gateway: string;
  currency: Currency;
  amount: Minor;
  paidAmount: Minor | null;
  state: QrcodeState;
  createdAt: Date;
  endedAt: Date | null;
  expiresAt: Date | null;
  paidAt: Date | null;
  transactionNumber: string | null;
  payer: { accountNo?: string } | null;
  payerBank: string | null;
  bonusCode: string | null;
};

/** A code of the member as a timeline. Its credit is timed by the ledger: the code may have ended before. */
export async function findQrcodeTimeline(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<Timeline | undefined> {
  const { rows } = await on.query<Row>(
    `select gateway, currency, amount, paid_amount as "paidAmount", state, created_at as "createdAt",
            ended_at as "endedAt", expires_at as "expiresAt", paid_at as "paidAt",
            transaction_number as "transactionNumber", payer,
            (select b.code from operator_data_bank b where payer->>'bankCode' in (b.code, b.number)
              order by b.code <> payer->>'bankCode', b.code limit 1) as "payerBank",
            bonus_code as "bonusCode"
       from qrcode where reference = $1 and member_id = $2`,
    [reference, memberId],
    { name: 'qrcode-timeline' },
  );
  const [code] = rows;
  if (!code) return undefined;
  const { gateway, state, transactionNumber, createdAt, expiresAt } = code;
  const isPaid = state === 'PAID';
  // Paid late: the same code may still be paid after its end, so only PAID is final.
  const hasEnded = isFinal(qrcodeTransitions, state) || code.endedAt !== null;
  return {
    key: reference,
    kind: 'qr',
    status: isPaid ? 'SUCCESS' : hasEnded ? 'FAILED' : 'PROCESSING',
    requested: code.paidAmount ?? code.amount,
    currency: code.currency,
    from: gateway,
    to: 'WALLET',
    account: code.payer?.accountNo ? maskedAccount(code.payer.accountNo) : null,
    bank: code.payerBank,
    bankReference: transactionNumber,
    reason: isPaid || !hasEnded ? null : state === 'FAILED' ? 'QR_FAIL' : state,
    steps: [done('created', createdAt), ...STEPS_BY_STATE[state](code)],
    expectation: hasEnded ? null : expiresAt ? { until: expiresAt } : creationExpectation(createdAt),
    bonusCode: code.bonusCode,
    operations: transactionNumber === null ? [] : [`deposit:${gateway.toLowerCase()}:${transactionNumber}`],
    links: [],
  };
}

const waitingSteps = () => [open('paid'), open('credited')];
const STEPS_BY_STATE: Record<QrcodeState, (code: Row) => Timeline['steps']> = {
  CREATING: waitingSteps,
  PENDING: waitingSteps,
  PAID: ({ paidAt }) => [done('paid', paidAt), done('credited', null)],
  CANCELLED: ({ endedAt }) => [stepAt('cancelled', endedAt)],
  EXPIRED: ({ endedAt }) => [stepAt('expired', endedAt)],
  FAILED: ({ endedAt }) => [stepAt('refused', endedAt)],
};
