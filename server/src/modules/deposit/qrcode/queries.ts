import { type Currency, type Minor, toDecimal } from '@krapao/contract/money';
import { type QrcodeState, qrcodeTransitions } from '@krapao/contract/states';
import type { IssuedQr, UnmatchedPayment } from '../../../adapters/gateway/port.ts';
import { type Queryable, violatedConstraint, type Tx } from '../../../platform/database/database.ts';
import type { PartyNeedSource } from '../../../platform/party-needs.ts';
import { statesBefore } from '../../../platform/state-machine.ts';
import type { Qrcode } from './qrcode.ts';

/** The ledger command of `qrcode` is in `0327-deposit-bonus.sql`. */

export const QRCODE_COLUMNS = `id, member_id as "memberId", gateway, reference, gateway_reference as "gatewayReference", currency,
  amount, pay_amount as "payAmount", state, reason, paid_amount as "paidAmount", transaction_number as "transactionNumber",
  payload, bonus_code as "bonusCode", created_at as "createdAt", ended_at as "endedAt", expires_at as "expiresAt",
  wakes, silences, misses, now() as "readAt"`;

export async function findQrcode(db: Queryable, id: string): Promise<Qrcode | undefined> {
  const { rows } = await db.query<Qrcode>(`select ${QRCODE_COLUMNS} from qrcode where id = $1`, [id], {
    name: 'qrcode-by-id',
  });
  return rows[0];
}

/** The member's open code at a gateway; it may have expired. */
export async function findOpenQrcode(db: Queryable, memberId: string, gateway: string): Promise<Qrcode | undefined> {
  const { rows } = await db.query<Qrcode>(
    `select ${QRCODE_COLUMNS} from qrcode where member_id = $1 and gateway = $2 and state in ('CREATING', 'PENDING')`,
    [memberId, gateway],
    { name: 'qrcode-of-member' },
  );
  return rows[0];
}

/** A new code and its request. */
export type NewQrcode = {
  id: string;
  memberId: string;
  gateway: string;
  reference: string;
  currency: Currency;
  amount: Minor;
  /** Delay of the first inquiry, in case this process dies before it stores the gateway's reply. */
  inquireInMs: number;
  key: string | undefined;
  requestHash: Buffer;
  bonusCode: string | null;
  /** Id of the member's code that was just inquired about. */
  inquiredCodeId: string | undefined;
  /** Maximum number of codes per window. */
  max: number;
  windowMs: number;
};

/** Outcomes of `commands.qrcode_open`, documented there. */
export const OPEN_OUTCOMES = [
  'created',
  'reused',
  'inquiry_needed',
  'amount_differs',
  'too_many',
  'key_taken',
] as const;
type QrcodeOpenOutcome = (typeof OPEN_OUTCOMES)[number];
type OutcomeWithoutCode = Extract<QrcodeOpenOutcome, 'too_many' | 'key_taken'>;
export type OpenResult =
  | { outcome: Exclude<QrcodeOpenOutcome, OutcomeWithoutCode>; row: Qrcode }
  | { outcome: OutcomeWithoutCode; row: undefined };

/** @returns undefined when a concurrent request committed first */
export async function insertQrcode(db: Queryable, code: NewQrcode): Promise<OpenResult | undefined> {
  try {
    const { rows } = await db.query<Qrcode & { outcome: string }>(
      `select outcome, ${QRCODE_COLUMNS}
         from commands.qrcode_open($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) o, lateral (select (o.code).*) q`,
      [
        code.id,
        code.memberId,
        code.gateway,
        code.reference,
        code.currency,
        code.amount,
        code.inquireInMs,
        code.key ?? null,
        code.requestHash,
        code.inquiredCodeId ?? null,
        code.windowMs,
        code.max,
        code.bonusCode,
      ],
      { name: 'qrcode-open' },
    );
    const [resultRow] = rows;
    if (!resultRow) throw new Error('qrcode_open returned no row');
    const { outcome, ...row } = resultRow;
    return { outcome, row: row.id === null ? undefined : row } as OpenResult;
  } catch (error) {
    if (['qrcode_live', 'qrcode_request_key'].includes(violatedConstraint(error) ?? '')) return undefined;
    throw error;
  }
}

export async function findQrcodeByKey(
  db: Queryable,
  memberId: string,
  key: string,
): Promise<{ row: Qrcode; requestHash: Buffer } | undefined> {
  const { rows } = await db.query<Qrcode & { requestHash: Buffer }>(
    `select ${QRCODE_COLUMNS}, r.request_hash as "requestHash"
       from (select key, request_hash, qrcode_id from qrcode_request where member_id = $1 and key = $2) r
            join qrcode q on q.id = r.qrcode_id`,
    [memberId, key],
    { name: 'qrcode-by-key' },
  );
  const [storedRow] = rows;
  if (!storedRow) return undefined;
  const { requestHash, ...row } = storedRow;
  return { row, requestHash };
}

export async function findQrcodeByReference(
  db: Queryable,
  gateway: string,
  reference: string,
): Promise<Qrcode | undefined> {
  const { rows } = await db.query<Qrcode>(
    `select ${QRCODE_COLUMNS} from qrcode where gateway = $1 and reference = $2`,
    [gateway, reference],
    { name: 'qrcode-by-reference' },
  );
  return rows[0];
}

/**
 * Stores the code that the gateway issued. An inquiry requested by a concurrent callback stays due.
 * @returns undefined when the state of the code has changed
 */
export async function markPending(
  db: Queryable,
  id: string,
  issued: IssuedQr,
  inquireInMs: number,
): Promise<Qrcode | undefined> {
  const { rows } = await db.query<Qrcode>(
    `update qrcode set state = 'PENDING', gateway_reference = $2, payload = $3, pay_amount = $4, expires_at = $5,
       inquire_at = least(inquire_at, now() + $6 * interval '1 millisecond')
     where id = $1 and state = any($7) returning ${QRCODE_COLUMNS}`,
    [
      id,
      issued.gatewayReference,
      issued.payload,
      issued.payAmount,
      issued.expiresAt,
      inquireInMs,
      statesBefore(qrcodeTransitions, 'PENDING'),
    ],
    { name: 'qrcode-pending' },
  );
  return rows[0];
}

/** Ends an unpaid code. @param inquireInMs null: proven not to exist, no more inquiries */
export async function markEnded(
  db: Queryable,
  id: string,
  state: Exclude<QrcodeState, 'CREATING' | 'PENDING' | 'PAID'>,
  reason: string | null,
  inquireInMs: number | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update qrcode set state = $2, reason = $3, ended_at = now(),
       inquire_at = case when $4::float8 is null and wakes = 0 then null
         else least(inquire_at, now() + $4::float8 * interval '1 millisecond') end
     where id = $1 and state = any($5)`,
    [id, state, reason, inquireInMs, statesBefore(qrcodeTransitions, state)],
    { name: 'qrcode-end' },
  );
  return rowCount === 1;
}

/**
 * Makes an inquiry due, also about a paid code: its payment may have been reversed.
 * @returns false when no code has this reference
 */
export async function requestInquiry(db: Queryable, gateway: string, reference: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update qrcode set inquire_at = now(), wakes = wakes + 1 where gateway = $1 and reference = $2',
    [gateway, reference],
    { name: 'qrcode-wake' },
  );
  return rowCount === 1;
}

/**
 * Makes an inquiry due at any gateway, because a bank reports only the reference. Skips paid codes.
 * @returns false when no code has this reference
 */
export async function requestInquiryByReference(db: Queryable, reference: string): Promise<boolean> {
  const { rows } = await db.query(
    `with code as (select id from qrcode where reference = $1),
     woken as (
       update qrcode set inquire_at = now(), wakes = wakes + 1
       where id in (select id from code) and state <> 'PAID' returning id)
     select id from code`,
    [reference],
    { name: 'qrcode-wake-anywhere' },
  );
  return rows.length > 0;
}

/** @returns false when any node has inquired about this code within `everyMs` */
export async function claimInquirySlot(db: Queryable, id: string, everyMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update qrcode set inquired_at = now()
     where id = $1 and (inquired_at is null or inquired_at < now() - $2 * interval '1 millisecond')`,
    [id, everyMs],
    { name: 'qrcode-claim-asking' },
  );
  return rowCount === 1;
}

/** Schedules the next inquiry. It is due immediately if an inquiry was requested since the code was claimed. */
export async function scheduleInquiry(
  db: Queryable,
  code: Qrcode,
  schedule: { inMs: number | null; silences: number; misses: number },
): Promise<void> {
  await db.query(
    `update qrcode set inquiries = inquiries + 1, silences = $3, misses = $4,
       inquire_at = case when wakes > $2 then now() else now() + $5::float8 * interval '1 millisecond' end
     where id = $1`,
    [code.id, code.wakes, schedule.silences, schedule.misses, schedule.inMs],
    { name: 'qrcode-schedule' },
  );
}

export type ParkedDeposit = { gateway: string; reference: string; reason: string; evidence: string };

/** Reason of a parked payment that was credited and later reversed at the gateway. */
export const REVERSED_AT_GATEWAY = 'TAKEN_BACK';

/** Parks a payment for an operator. @returns the number of its reports */
export async function upsertParkedPayment(db: Queryable, payment: ParkedDeposit): Promise<number> {
  const { rows } = await db.query<{ times: number }>(
    `insert into deposit_parked (gateway, reference, reason, evidence) values ($1, $2, $3, left($4, 500))
     on conflict (gateway, reference, reason, evidence)
     do update set times = deposit_parked.times + 1, last_at = now(),
       settled_at = case when excluded.reason <> $5 or deposit_parked.settled_by is not null then deposit_parked.settled_at end
     returning times`,
    [payment.gateway, payment.reference, payment.reason, payment.evidence, REVERSED_AT_GATEWAY],
    { name: 'deposit-park' },
  );
  return rows[0]?.times ?? 0;
}

/**
 * Parks a payment that its gateway could not assign to a code, once. It gets the reference of the newest earlier code
 * of exactly this amount, if any: that code was paid twice or late.
 * @returns the reference of the parked row; undefined when the payment was parked before
 */
export async function parkUnmatched(
  db: Queryable,
  gateway: string,
  { id, amount, at, payer }: UnmatchedPayment,
): Promise<string | undefined> {
  const { rows } = await db.query<{ reference: string }>(
    `insert into deposit_parked (gateway, reference, reason, evidence)
     select $1, coalesce((
         select reference from qrcode
          where gateway = $1 and pay_amount = $3 and created_at between $4::timestamptz - interval '1 day' and $4
          order by created_at desc limit 1), $2), 'UNMATCHED', left($5, 500)
     on conflict (gateway, reference, reason, evidence) do nothing returning reference`,
    [gateway, id, amount, at, `${id} ${toDecimal(amount)} ${payer.bankCode} ${payer.accountNo} ${payer.name}`],
    { name: 'deposit-park-unmatched' },
  );
  return rows[0]?.reference;
}

/** Settles parked rows of this reason: the gateway has confirmed the payment again. */
export async function clearParked(
  db: Queryable,
  code: Pick<Qrcode, 'gateway' | 'reference'>,
  reason: string,
): Promise<void> {
  await db.query(
    `update deposit_parked set settled_at = now(), settled_by = null
     where gateway = $1 and reference = $2 and reason = $3 and (settled_at is null or settled_by is not null)`,
    [code.gateway, code.reference, reason],
    { name: 'deposit-settle-parked' },
  );
}

/** A payment that no rule can settle, with its code. */
export type ParkedPayment = {
  id: bigint;
  gateway: string;
  reference: string;
  reason: string;
  evidence: string;
  times: number;
  ageMs: number;
  /** State of the code; null when the code is unknown. */
  state: string | null;
  memberId: string | null;
  currency: Currency | null;
  /** The credited amount, or the amount of the code. */
  amount: Minor | null;
};

export async function selectParked(db: Queryable): Promise<ParkedPayment[]> {
  const { rows } = await db.query<ParkedPayment>(
    `select p.id, p.gateway, p.reference, p.reason, p.evidence, p.times, q.state, q.member_id as "memberId", q.currency,
            coalesce(q.paid_amount, q.pay_amount, q.amount) as amount,
            (extract(epoch from now() - p.first_at) * 1000)::float8 as "ageMs"
       from deposit_parked p left join qrcode q using (gateway, reference)
      where p.settled_at is null order by p.first_at, p.id limit 1000`,
  );
  return rows;
}

export type LockedParked = Pick<ParkedPayment, 'gateway' | 'reference' | 'reason'> & { isSettled: boolean };

/** Locks a parked row until the transaction ends. @param id its number, as the operator typed it */
export async function lockParked(tx: Tx, id: string): Promise<LockedParked | undefined> {
  const { rows } = await tx.query<LockedParked>(
    `select gateway, reference, reason, settled_at is not null as "isSettled"
       from deposit_parked where id::text = $1 for no key update`,
    [id],
  );
  return rows[0];
}

export async function closeParked(tx: Tx, id: string, operator: string): Promise<void> {
  await tx.query('update deposit_parked set settled_at = now(), settled_by = $2 where id::text = $1', [id, operator]);
}

/**
 * Totals credited and later reversed, in minor units, by house account of the gateway. Rows that an operator closed
 * still count; rows that the gateway confirmed again do not.
 */
export async function sumReversedAtGateway(
  db: Queryable,
): Promise<{ houseAccount: string; currency: string; amount: bigint }[]> {
  const { rows } = await db.query<{ houseAccount: string; currency: string; amount: bigint }>(
    `select 'gateway:' || lower(gateway) as "houseAccount", currency, sum(paid_amount)::bigint as amount
       from qrcode q
      where state = 'PAID' and exists (
        select from deposit_parked p
         where p.gateway = q.gateway and p.reference = q.reference and p.reason = $1
           and (p.settled_at is null or p.settled_by is not null))
      group by 1, 2`,
    [REVERSED_AT_GATEWAY],
  );
  return rows;
}

/** Gateways with codes that may still be paid. */
export const gatewayNeeds: PartyNeedSource = async (on) => {
  const { rows } = await on.query<{ gateway: string; count: number }>(
    `select gateway, count(*)::int as count from qrcode where inquire_at is not null group by gateway order by gateway`,
  );
  return rows.map(({ gateway, count }) => ({
    entry: gateway.toLowerCase(),
    reason: `${count} of its QR codes may still be paid`,
    remedy: `Put it back, disable ${gateway} (krapao config apply deposit-accounts FILE NAME WHY), and remove it two days later.`,
  }));
};
