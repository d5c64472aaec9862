import type { Currency, Minor } from '@krapao/contract/money';
import type { SlipState } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../../platform/database/batched-reads.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { type CreditSpeed, type Duration, type PendingEntry, wireAmount } from '../../../platform/timeline.ts';

export const SLIP_METHOD = 'slip';

type PendingRow = { reference: string; state: SlipState; amount: string | null; since: string };

/** The member's slips that are neither credited nor refused. */
export const pendingSlips: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('reference', s.reference, 'state', s.state, 'amount', s.amount::text,
            'since', s.created_at))
     from slip s where s.member_id = asked.member_id and s.state in ('RECEIVED', 'READ', 'MANUAL')`,
  (rows: PendingRow[] | null) =>
    (rows ?? []).map(({ reference, state, amount, since }) => ({
      key: reference,
      kind: 'slip',
      state,
      amount: amount === null ? null : wireAmount(amount),
      payAmount: null,
      place: null,
      since: new Date(since).toISOString(),
      expiresAt: null,
      target: '/user/statement#slips',
      expectation: { method: SLIP_METHOD, since: new Date(since) },
    })),
);

/** A slip of the member. */
export type SentSlip = {
  reference: string;
  currency: Currency;
  state: SlipState;
  reason: string | null;
  amount: Minor | null;
  sendingBank: string | null;
  transRef: string | null;
  createdAt: Date;
  paidAt: Date | null;
  endedAt: Date | null;
  bonusCode: string | null;
};

const SENT = `reference, currency, state, reason, amount, sending_bank as "sendingBank", trans_ref as "transRef",
  created_at as "createdAt", paid_at as "paidAt", ended_at as "endedAt", bonus_code as "bonusCode"`;

export async function findSentSlip(on: Queryable, memberId: string, reference: string): Promise<SentSlip | undefined> {
  const { rows } = await on.query<SentSlip>(
    `select ${SENT} from slip where reference = $1 and member_id = $2`,
    [reference, memberId],
    { name: 'slip-timeline' },
  );
  return rows[0];
}

/** The member's slips of a transfer, oldest first. */
export async function selectSlipsOf(
  on: Queryable,
  memberId: string,
  { sendingBank, transRef }: { sendingBank: string; transRef: string },
): Promise<SentSlip[]> {
  const { rows } = await on.query<SentSlip>(
    `select ${SENT} from slip where sending_bank = $1 and trans_ref = $2 and member_id = $3 order by created_at limit 20`,
    [sendingBank, transRef, memberId],
    { name: 'slips-of-transfer' },
  );
  return rows;
}

/** How long credited slips took. @param since id made at the beginning of the period: ids are ordered by time */
export async function selectSlipDurations(on: Queryable, since: string): Promise<Duration[]> {
  const { rows } = await on.query<Duration>(
    `select '${SLIP_METHOD}' as method, count(*)::int as samples,
            percentile_cont(0.9) within group (order by extract(epoch from ended_at - created_at) * 1000) as "p90Ms"
       from (select * from slip where id > $1 order by id desc limit 5000) s where state = 'CREDITED'
     having count(*) > 0`,
    [since],
  );
  return rows;
}

/** Time from upload to credit. @param since an id of the beginning of the week */
export async function selectSlipSpeeds(on: Queryable, since: string): Promise<CreditSpeed[]> {
  const { rows } = await on.query<CreditSpeed>(
    `select currency, percentile_disc(0.5) within group (order by ms) filter (where is_today) as "dayMs",
            (count(*) filter (where is_today))::int as "daySamples",
            percentile_disc(0.5) within group (order by ms) as "weekMs", count(*)::int as "weekSamples"
       from (select currency, ended_at > now() - interval '1 day' as is_today,
                    (extract(epoch from ended_at - created_at) * 1000)::float8 as ms
               from (select * from slip where id > $1 order by id desc limit 5000) newest
              where state = 'CREDITED') credited
      group by currency`,
    [since],
    { name: 'slip-speeds' },
  );
  return rows;
}
