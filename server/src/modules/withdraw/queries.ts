import { toWire } from '@krapao/contract/money';
import { type openWithdrawStates, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { type SnapshotPart, snapshotPart } from '../../platform/database/member-snapshot.ts';
import { operatorName } from '../../platform/start/operator-log.ts';
import { assertTransition } from '../../settlement/transition.ts';
import type { NotBrought } from '../transfer/module.ts';
import type { Proof, Withdrawal, WithdrawRefusal } from './withdraw.ts';

const COLUMNS = `w.id, w.member_id as "memberId", w.currency, w.input_hash as "inputHash", w.is_all as "isAll", w.amount,
  w.reference, w.bank_code as "bankCode", w.account_no as "accountNo", w.account_name as "accountName",
  w.paid_from as "paidFrom", w.state, w.is_held as "isHeld", w.not_brought as "notBrought",
  w.refusal_code as "refusalCode", w.refusal_detail as "refusalDetail", w.proof, w.proof_by as "proofBy", w.reason,
  w.absences, w.asks, w.fence,
  (extract(epoch from clock_timestamp() - w.sent_at) * 1000)::float8 as "sentAgoMs",
  (extract(epoch from clock_timestamp() - w.first_sent_at) * 1000)::float8 as "firstSentAgoMs"`;

export type NewWithdrawal = Pick<
  Withdrawal,
  | 'id'
  | 'memberId'
  | 'currency'
  | 'inputHash'
  | 'isAll'
  | 'amount'
  | 'reference'
  | 'bankCode'
  | 'accountNo'
  | 'accountName'
  | 'paidFrom'
>;

/**
 * Undefined when the member has used the key before. Violates `withdraw_one_pending` when another withdrawal of the
 * member is under way, which may be the one of this key.
 */
export async function insertWithdrawal(
  on: Queryable,
  wanted: NewWithdrawal,
  idempotencyKey: string,
  leaseMs: number,
): Promise<Withdrawal | undefined> {
  const { rows } = await on.query<Withdrawal>(
    `insert into withdraw as w (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference,
       bank_code, account_no, account_name, paid_from, leased_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp() + $13 * interval '1 ms')
     on conflict on constraint withdraw_once do nothing
     returning ${COLUMNS}`,
    [
      wanted.id,
      wanted.memberId,
      wanted.currency,
      idempotencyKey,
      wanted.inputHash,
      wanted.isAll,
      wanted.amount,
      wanted.reference,
      wanted.bankCode,
      wanted.accountNo,
      wanted.accountName,
      wanted.paidFrom,
      leaseMs,
    ],
  );
  return rows[0];
}

export async function findByKey(
  on: Queryable,
  memberId: string,
  idempotencyKey: string,
): Promise<Withdrawal | undefined> {
  const { rows } = await on.query<Withdrawal>(
    `select ${COLUMNS} from withdraw w where w.member_id = $1 and w.idempotency_key = $2`,
    [memberId, idempotencyKey],
  );
  return rows[0];
}

export async function findById(on: Queryable, id: string): Promise<Withdrawal | undefined> {
  const { rows } = await on.query<Withdrawal>(`select ${COLUMNS} from withdraw w where w.id = $1`, [id]);
  return rows[0];
}

/** The withdrawal of a member that is under way, whether its money is held yet or not. */
export async function findPending(
  on: Queryable,
  memberId: string,
): Promise<(Withdrawal & { createdAt: Date }) | undefined> {
  const { rows } = await on.query<Withdrawal & { createdAt: Date }>(
    `select ${COLUMNS}, w.created_at as "createdAt" from withdraw w
      where w.member_id = $1 and w.state not in ('PAID', 'FAILED')`,
    [memberId],
  );
  return rows[0];
}

/** A withdrawal under way as the wallet shows it. */
export type HeldWithdrawal = {
  reference: string;
  amount: number;
  state: (typeof openWithdrawStates)[number];
  createdAt: string;
};

/** The withdrawal of a member that is under way and whose money is held, as the wire says it; null without one. */
export const heldWithdrawal: SnapshotPart<HeldWithdrawal | null> = snapshotPart(
  `select json_build_object('reference', w.reference, 'amount', w.amount::text, 'state', w.state, 'createdAt', w.created_at)
     from withdraw w where w.member_id = $1::uuid and w.state not in ('PAID', 'FAILED') and w.is_held`,
  (held: (Omit<HeldWithdrawal, 'amount'> & { amount: string }) | null) =>
    held && { ...held, amount: toWire(BigInt(held.amount)), createdAt: new Date(held.createdAt).toISOString() },
);

/**
 * Takes withdrawals that nobody is at work on and whose time has come. Each gets a new fence: whoever held it before is
 * shut out. One that waits for an operator is taken when there is a decision, or when the bank has called back.
 */
export async function claimDue(on: Queryable, limit: number, leaseMs: number): Promise<Withdrawal[]> {
  const { rows } = await on.query<Withdrawal>(
    `with due as (
       select d.id from withdraw d
        where d.state not in ('PAID', 'FAILED') and (d.state <> 'MANUAL' or d.proof is not null or d.is_woken)
          and d.next_ask_at <= clock_timestamp() and d.leased_until <= clock_timestamp()
        order by d.next_ask_at
        limit $1
          for no key update skip locked)
     update withdraw w
        set fence = w.fence + 1, asks = w.asks + 1, is_woken = false,
            leased_until = clock_timestamp() + $2 * interval '1 ms'
       from due where w.id = due.id
     returning ${COLUMNS}`,
    [limit, leaseMs],
  );
  return rows;
}

/** The bank has called about a payout: it is asked about now. @returns whether there is such a withdrawal */
export async function wake(on: Queryable, reference: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `update withdraw set next_ask_at = case when state in ('PAID', 'FAILED') then next_ask_at else clock_timestamp() end,
       is_woken = state not in ('PAID', 'FAILED')
     where reference = $1`,
    [reference],
  );
  return rowCount > 0;
}

// Every step below names the state it comes from and the fence: whoever was slow changes nothing, and is told so.
const MINE = 'id = $1 and fence = $2 and state = $3';
const mine = ({ id, fence, state }: Withdrawal): unknown[] => [id, fence, state];

async function step(on: Queryable, w: Withdrawal, set: string, values: readonly unknown[] = []): Promise<boolean> {
  const { rowCount } = await on.query(`update withdraw set ${set} where ${MINE}`, [...mine(w), ...values]);
  return rowCount > 0;
}

/** Changes the state; `set` and its values begin at $5. @throws where the table has no such step */
function advance(
  on: Queryable,
  w: Withdrawal,
  to: WithdrawState,
  set: string,
  values: readonly unknown[] = [],
): Promise<boolean> {
  assertTransition(withdrawTransitions, w.state, to);
  return step(on, w, `state = $4, ${set}`, [to, ...values]);
}

/** Writes down which games stayed behind, before the money is held. */
export const saveNotBrought = (on: Queryable, w: Withdrawal, notBrought: NotBrought[]): Promise<boolean> =>
  step(on, w, 'not_brought = $4', [JSON.stringify(notBrought)]);

/** The ledger holds the money; whoever is free next sends it. */
export const markHeld = (on: Queryable, w: Withdrawal): Promise<boolean> =>
  step(on, w, 'is_held = true, asks = 0, next_ask_at = clock_timestamp(), leased_until = clock_timestamp()');

/** Ends one whose money could not be held. */
export const markRefused = (on: Queryable, w: Withdrawal, { code, detail }: WithdrawRefusal): Promise<boolean> =>
  advance(on, w, 'FAILED', `finished_at = clock_timestamp(), refusal_code = $5, refusal_detail = $6`, [
    code,
    detail ?? null,
  ]);

/** HELD → SENT, right before the call goes out; an UNKNOWN one that the bank never got stays what it is. */
export const markSent = (on: Queryable, w: Withdrawal, leaseMs: number): Promise<boolean> =>
  w.state === 'HELD' ? advance(on, w, 'SENT', sentNow('$5'), [leaseMs]) : step(on, w, sentNow('$4'), [leaseMs]);

const sentNow = (leaseMs: string): string =>
  `sent_at = clock_timestamp(), first_sent_at = coalesce(first_sent_at, clock_timestamp()),
   attempts = attempts + 1, absences = 0, leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'`;

/** SENT → UNKNOWN, and the questions begin; `keep` for the resolver that asks the first at once. */
export const markUnknown = (on: Queryable, w: Withdrawal, note: string, keep: boolean): Promise<boolean> =>
  advance(
    on,
    w,
    'UNKNOWN',
    `note = $5, asks = $6::boolean::int, next_ask_at = clock_timestamp(),
     leased_until = case when $6 then leased_until else clock_timestamp() end`,
    [note, keep],
  );

/** The bank has it. The schedule of questions begins anew, after the pause. */
export const markAccepted = (on: Queryable, w: Withdrawal, pauseMs: number): Promise<boolean> =>
  advance(
    on,
    w,
    'ACCEPTED',
    `note = null, absences = 0, asks = 0, leased_until = clock_timestamp(),
     next_ask_at = clock_timestamp() + case when is_woken then 0 else $5::float8 end * interval '1 ms'`,
    [pauseMs],
  );

/** The bank still hasn't told: the next question comes after a pause, or now when it has called meanwhile. */
export const postpone = (
  on: Queryable,
  w: Withdrawal,
  { absent, note, pauseMs }: { absent: boolean; note: string; pauseMs: number },
): Promise<boolean> =>
  step(
    on,
    w,
    `absences = absences + $4, note = $5, leased_until = clock_timestamp(),
     next_ask_at = clock_timestamp() + case when is_woken then 0 else $6::float8 end * interval '1 ms'`,
    [absent ? 1 : 0, note, pauseMs],
  );

/** ACCEPTED, UNKNOWN → MANUAL. The hold stays until an operator decides, or the bank tells after all. */
export const markManual = (on: Queryable, w: Withdrawal, note: string): Promise<boolean> =>
  advance(on, w, 'MANUAL', `note = $5, leased_until = clock_timestamp()`, [note]);

/** Writes down what is proven, before the ledger follows: from then on the bank needn't be asked again. */
export const saveProof = (
  on: Queryable,
  w: Withdrawal,
  found: { proof: Proof; reason: string | null; note: string | null; transRef: string | null },
): Promise<boolean> =>
  step(on, w, `proof = $4, proof_by = 'resolver', reason = $5, note = $6, trans_ref = $7`, [
    found.proof,
    found.reason,
    found.note,
    found.transRef,
  ]);

/** The last step. False when somebody else has taken it. */
export const markFinished = (on: Queryable, w: Withdrawal, to: Proof): Promise<boolean> =>
  advance(on, w, to, 'finished_at = clock_timestamp()');

/** Why withdrawals failed, and which bank they went to, by reference. */
export async function selectOutcomes(
  on: Queryable,
  memberId: string,
  references: readonly string[],
): Promise<{ reference: string; reason: string | null; bankCode: string }[]> {
  const { rows } = await on.query<{ reference: string; reason: string | null; bankCode: string }>(
    `select reference, reason, bank_code as "bankCode" from withdraw
      where member_id = $1 and reference = any($2::text[])`,
    [memberId, references],
  );
  return rows;
}

/** How many are not over, by state, and how long the oldest of each has been open. */
export async function countOpen(on: Queryable): Promise<{ state: string; count: number; oldestSeconds: number }[]> {
  const { rows } = await on.query<{ state: string; count: number; oldestSeconds: number }>(
    `select state, count(*)::int as count,
            extract(epoch from clock_timestamp() - min(created_at))::float8 as "oldestSeconds"
       from withdraw where state not in ('PAID', 'FAILED') group by state`,
  );
  return rows;
}

export type OpenWithdrawal = {
  reference: string;
  memberId: string;
  state: string;
  isHeld: boolean;
  amount: bigint;
  currency: string;
  bankCode: string;
  accountNo: string;
  paidFrom: string;
  attempts: number;
  asks: number;
  note: string | null;
  proof: string | null;
  ageMs: number;
};

/** Everything that is not over, oldest first. */
export async function selectOpen(on: Queryable): Promise<OpenWithdrawal[]> {
  const { rows } = await on.query<OpenWithdrawal>(
    `select reference, member_id as "memberId", state, is_held as "isHeld", amount, currency, bank_code as "bankCode",
            account_no as "accountNo", paid_from as "paidFrom", attempts, asks, note, proof,
            (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
       from withdraw where state not in ('PAID', 'FAILED') order by created_at`,
  );
  return rows;
}

/** Writes an operator's decision down; the resolver follows it. False when that withdrawal doesn't wait for one. */
export async function saveDecision(
  tx: Tx,
  decision: { reference: string; proof: Proof; by: string; why: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update withdraw set proof = $2, proof_by = $3, note = $4, next_ask_at = clock_timestamp(),
       reason = case when $2 = 'FAILED' then 'OPERATOR' end
     where reference = $1 and state = 'MANUAL' and proof is null and leased_until <= clock_timestamp()`,
    [decision.reference, decision.proof, operatorName(decision), decision.why],
  );
  return rowCount > 0;
}
