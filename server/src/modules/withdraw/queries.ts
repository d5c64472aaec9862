import { toWire } from '@krapao/contract/money';
import { type openWithdrawStates, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import { type SnapshotField, snapshotField, batchedReader } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import { operatorName, type Signature } from '../../platform/operator-log.ts';
import { assertTransition, statesBefore } from '../../platform/state-machine.ts';
import type { PayoutProof, Withdrawal } from './withdraw.ts';

const WITHDRAWAL_COLUMNS = `w.id, w.member_id as "memberId", w.currency, w.input_hash as "inputHash", w.is_all as "isAll", w.amount,
  w.reference, w.bank_code as "bankCode", w.account_no as "accountNo", w.account_name as "accountName",
  w.paid_from as "paidFrom", w.state, w.is_held as "isHeld", w.not_brought as "notBrought",
  w.refusal_code as "refusalCode", w.refusal_detail as "refusalDetail", w.proof, w.proof_by as "proofBy", w.reason,
  w.absences, w.inquiries, w.fence,
  (extract(epoch from clock_timestamp() - w.sent_at) * 1000)::float8 as "sentAgoMs",
  (extract(epoch from clock_timestamp() - w.first_sent_at) * 1000)::float8 as "firstSentAgoMs"`;

/** Whether operators have stopped sending. Unsent money stays held until they start it again. */
const IS_SENDING_STOPPED_SQL = `exists (select from operator_data_switch s where s.name = 'withdrawals.send' and s.is_stopped)`;
/** A withdrawal with held money whose payout was never sent, without an operator's decision. */
const IS_UNSENT_SQL = `w.state = 'HELD' and w.is_held and w.proof is null`;
const WAITS_FOR_START_SQL = `${IS_UNSENT_SQL} and ${IS_SENDING_STOPPED_SQL}`;

/** A claimed withdrawal. `isToSend`: its payout is due to be sent. `providers`: the providers that its sweep queries. */
export type ClaimedWithdrawal = Withdrawal & { isToSend: boolean; providers: string };

export async function findByKey(
  on: Queryable,
  memberId: string,
  idempotencyKey: string,
): Promise<Withdrawal | undefined> {
  const { rows } = await on.query<Withdrawal>(
    `select ${WITHDRAWAL_COLUMNS} from withdraw w where w.member_id = $1 and w.idempotency_key = $2`,
    [memberId, idempotencyKey],
  );
  return rows[0];
}

export async function findById(on: Queryable, id: string): Promise<Withdrawal | undefined> {
  const { rows } = await on.query<Withdrawal>(`select ${WITHDRAWAL_COLUMNS} from withdraw w where w.id = $1`, [id]);
  return rows[0];
}

/** Whether a withdrawal of the member is pending, with or without held money. */
export const hasOpenWithdrawal: SnapshotField<boolean> = snapshotField(
  `select exists (select from withdraw w where w.member_id = asked.member_id and w.state not in ('PAID', 'FAILED'))`,
  (hasRow: boolean) => hasRow,
);

/** A pending withdrawal as shown by the wallet. */
export type HeldWithdrawal = {
  reference: string;
  amount: number;
  state: (typeof openWithdrawStates)[number];
  createdAt: string;
};

/** The member's pending withdrawal with held money, in wire format; null without one. */
export const heldWithdrawal: SnapshotField<HeldWithdrawal | null> = snapshotField(
  `select json_build_object('reference', w.reference, 'amount', w.amount::text, 'state', w.state, 'createdAt', w.created_at)
     from withdraw w where w.member_id = asked.member_id and w.state not in ('PAID', 'FAILED') and w.is_held`,
  (row: (Omit<HeldWithdrawal, 'amount'> & { amount: string }) | null) =>
    row && { ...row, amount: toWire(BigInt(row.amount)), createdAt: new Date(row.createdAt).toISOString() },
);

/** What a withdrawal waits for: the bank, the providers of its sweep, or the ledger if its outcome is proven. */
export const withdrawPartition = (withdrawal: Pick<ClaimedWithdrawal, 'proof' | 'isHeld' | 'providers'>): string => {
  const { proof, isHeld, providers } = withdrawal;
  if (proof !== null) return 'proven';
  return isHeld ? 'bank' : providers;
};

const DUE_SQL = dueOfPartitionsSql({
  table: 'withdraw',
  key: 'id',
  due: 'next_inquiry_at',
  partition: `(case when w.proof is not null then 'proven' when w.is_held then 'bank' else w.providers end)`,
  waiting: `w.state not in ('PAID', 'FAILED') and (w.state <> 'MANUAL' or w.proof is not null or w.is_inquiry_requested)`,
  claimable: `w.leased_until <= statement_timestamp() and not (${WAITS_FOR_START_SQL})`,
  columns: 'w.state = any($4) and w.is_held as "isToSend"',
});

/**
 * Claims due withdrawals under a lease. The new fence excludes the previous lease holder. A MANUAL withdrawal is due
 * after an operator's decision or a callback, until the bank has replied. A withdrawal with held money becomes SENT:
 * the caller sends its payout immediately. While sending is stopped such a withdrawal is not due.
 * @param share concurrent withdrawals of each {@link withdrawPartition}
 */
export async function claimDueWithdrawals(
  on: Queryable,
  share: number,
  leaseMs: number,
  inProgress: InProgress,
): Promise<ClaimedWithdrawal[]> {
  const { rows } = await on.query<ClaimedWithdrawal>(
    `${DUE_SQL}
     update withdraw w
        set fence = w.fence + 1, inquiries = w.inquiries + 1, is_inquiry_requested = w.state = 'MANUAL',
            leased_until = clock_timestamp() + $3 * interval '1 ms',
            next_inquiry_at = case when w.state = 'MANUAL' then clock_timestamp() + $3 * interval '1 ms' else w.next_inquiry_at end,
            state = case when "isToSend" then 'SENT' else w.state end,
            sent_at = case when "isToSend" then clock_timestamp() else w.sent_at end,
            first_sent_at = case when "isToSend" then clock_timestamp() else w.first_sent_at end,
            attempts = w.attempts + "isToSend"::int,
            -- The member may have opened games since.
            providers = case when w.is_held then w.providers else providers_of(w.member_id) end
       from due where w.id = due.id
     returning ${WITHDRAWAL_COLUMNS}, w.providers, "isToSend"`,
    [...partitionParams(share, inProgress), leaseMs, statesBefore(withdrawTransitions, 'SENT')],
    { name: 'withdraw-claim-due' },
  );
  return rows;
}

/**
 * Makes an inquiry about a payout due: after a callback or by an operator.
 * @returns its state; undefined if the reference is unknown
 */
export async function scheduleNow(on: Queryable, reference: string): Promise<WithdrawState | undefined> {
  const { rows } = await on.query<{ state: WithdrawState }>(
    `update withdraw set next_inquiry_at = case when state in ('PAID', 'FAILED') then next_inquiry_at else clock_timestamp() end,
       is_inquiry_requested = state not in ('PAID', 'FAILED')
     where reference = $1 returning state`,
    [reference],
  );
  return rows[0]?.state;
}

/** Whether an inquiry was made due during the running one. A claim keeps a MANUAL row woken, due at the lease's end. */
const IS_DUE_AGAIN_SQL = `is_inquiry_requested and (state <> 'MANUAL' or next_inquiry_at < leased_until)`;

// Every update below checks the state and the fence: a stale worker changes nothing, and the row count shows it.
const IS_FENCED_SQL = 'id = $1 and fence = $2 and state = $3';
const fenceParams = ({ id, fence, state }: Withdrawal): unknown[] => [id, fence, state];

async function updateFenced(
  on: Queryable,
  withdrawal: Withdrawal,
  assignmentsSql: string,
  extraParams: readonly unknown[] = [],
): Promise<boolean> {
  const { rowCount } = await on.query(`update withdraw set ${assignmentsSql} where ${IS_FENCED_SQL}`, [
    ...fenceParams(withdrawal),
    ...extraParams,
  ]);
  return rowCount > 0;
}

/** Changes the state. Parameters of `assignmentsSql` start at $5. @throws for a transition that is not allowed */
function changeState(
  on: Queryable,
  withdrawal: Withdrawal,
  nextState: WithdrawState,
  assignmentsSql: string,
  extraParams: readonly unknown[] = [],
): Promise<boolean> {
  assertTransition(withdrawTransitions, withdrawal.state, nextState);
  return updateFenced(on, withdrawal, `state = $4, ${assignmentsSql}`, [nextState, ...extraParams]);
}

/** Records another attempt to send an UNKNOWN payout that the bank never received. */
export const markResent = (on: Queryable, withdrawal: Withdrawal, leaseMs: number): Promise<boolean> =>
  updateFenced(
    on,
    withdrawal,
    `sent_at = clock_timestamp(), attempts = attempts + 1, absences = 0, leased_until = clock_timestamp() + $4 * interval '1 ms'`,
    [leaseMs],
  );

/** SENT → UNKNOWN: inquiries start. @param keepLease keeps the lease for the resolver, which inquires immediately */
export const markUnknown = (
  on: Queryable,
  withdrawal: Withdrawal,
  note: string,
  keepLease: boolean,
): Promise<boolean> =>
  changeState(
    on,
    withdrawal,
    'UNKNOWN',
    `note = $5, inquiries = $6::boolean::int, next_inquiry_at = clock_timestamp(),
     leased_until = case when $6 then leased_until else clock_timestamp() end`,
    [note, keepLease],
  );

/** Records that the bank accepted the payout. Restarts the schedule of inquiries. */
export const markAccepted = (on: Queryable, withdrawal: Withdrawal, pauseMs: number): Promise<boolean> =>
  changeState(
    on,
    withdrawal,
    'ACCEPTED',
    `note = null, absences = 0, inquiries = 0, leased_until = clock_timestamp(),
     next_inquiry_at = clock_timestamp() + case when ${IS_DUE_AGAIN_SQL} then 0 else $5::float8 end * interval '1 ms'`,
    [pauseMs],
  );

/**
 * Schedules the next inquiry, because the outcome is still unknown. After a concurrent callback it is due immediately.
 * @param isSilent the bank did not reply: the inquiry about a MANUAL payout is repeated, otherwise not
 */
export const postpone = (
  on: Queryable,
  withdrawal: Withdrawal,
  { isAbsent, isSilent, note, pauseMs }: { isAbsent: boolean; isSilent: boolean; note: string; pauseMs: number },
): Promise<boolean> =>
  updateFenced(
    on,
    withdrawal,
    `absences = absences + $4, note = $5, leased_until = clock_timestamp(),
     is_inquiry_requested = ${IS_DUE_AGAIN_SQL} or state = 'MANUAL' and $7,
     next_inquiry_at = clock_timestamp() + case when ${IS_DUE_AGAIN_SQL} then 0 else $6::float8 end * interval '1 ms'`,
    [isAbsent ? 1 : 0, note, pauseMs, isSilent],
  );

/** ACCEPTED or UNKNOWN → MANUAL. The hold stays until an operator or the bank reports an outcome. */
export const markManual = (on: Queryable, withdrawal: Withdrawal, note: string): Promise<boolean> =>
  changeState(on, withdrawal, 'MANUAL', `note = $5, leased_until = clock_timestamp()`, [note]);

/** Failure reason and bank of withdrawals, by reference. */
export const selectOutcomes = batchedReader(async (on, requests) => {
  const { rows } = await on.query<{ place: bigint; reference: string; reason: string | null; bankCode: string }>(
    `select asked.place, w.reference, w.reason, w.bank_code as "bankCode"
       from unnest(${hideFromPlanner('$1::uuid[]')}, ${hideFromPlanner('$2::text[]')}) with ordinality asked (member_id, reference, place)
      cross join lateral (
        select * from withdraw where reference = asked.reference and member_id = asked.member_id limit 1) w`,
    [requests.map(({ memberId }) => memberId), requests.map(({ reference }) => reference)],
    { name: 'withdraw-outcomes' },
  );
  return rows;
});

export const withdrawWorkTable: WorkTable = {
  table: 'withdraw',
  key: 'id',
  keyType: 'uuid',
  due: 'next_inquiry_at',
  lease: 'leased_until',
  open: `w.state not in ('PAID', 'FAILED') and (w.state <> 'MANUAL' or w.proof is not null) and not (${WAITS_FOR_START_SQL})`,
  label: 'w.reference',
  counted: { attempts: 'w.inquiries', error: `coalesce(w.note, 'no reply')`, since: 'w.created_at' },
};

/** Withdrawals that are still open. */
export const withdrawQueue = {
  queue: 'withdraw',
  work: [withdrawWorkTable],
  resolver: `select created_at from withdraw w where state not in ('PAID', 'FAILED', 'MANUAL') and not (${WAITS_FOR_START_SQL})`,
  operator: `select created_at from withdraw w where state = 'MANUAL' or (${WAITS_FOR_START_SQL})`,
  operatedBy: 'krapao payouts (docs/runbooks/payouts.md)',
} satisfies QueueSource;

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
  inquiries: number;
  note: string | null;
  proof: string | null;
  ageMs: number;
};

/** Open withdrawals, oldest first. */
export async function selectOpenWithdrawals(on: Queryable): Promise<OpenWithdrawal[]> {
  const { rows } = await on.query<OpenWithdrawal>(
    `select reference, member_id as "memberId", state, is_held as "isHeld", amount, currency, bank_code as "bankCode",
            account_no as "accountNo", paid_from as "paidFrom", attempts, inquiries, note, proof,
            (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
       from withdraw where state not in ('PAID', 'FAILED') order by created_at`,
  );
  return rows;
}

/** Fields of a withdrawal that decide whether an operator's command is allowed. */
export type LockedWithdrawal = Pick<Withdrawal, 'state' | 'proof' | 'proofBy' | 'sentAgoMs'> & {
  /** True while a server holds its lease, or an inquiry about a MANUAL one is due. */
  isLeased: boolean;
};

/** Locks a withdrawal until the transaction ends. */
export async function lockWithdrawal(tx: Tx, reference: string): Promise<LockedWithdrawal | undefined> {
  const { rows } = await tx.query<LockedWithdrawal>(
    `select state, proof, proof_by as "proofBy", leased_until > clock_timestamp() or state = 'MANUAL' and is_inquiry_requested as "isLeased",
            (extract(epoch from clock_timestamp() - sent_at) * 1000)::float8 as "sentAgoMs"
       from withdraw where reference = $1 for no key update`,
    [reference],
  );
  return rows[0];
}

/** Records an operator's decision about a MANUAL withdrawal. */
export const saveDecision = (
  tx: Tx,
  { reference, proof, ...signature }: { reference: string; proof: PayoutProof } & Signature,
): Promise<void> =>
  updateForOperator(
    tx,
    reference,
    `proof = $2, proof_by = $3, note = $4, next_inquiry_at = clock_timestamp(),
     reason = case when $2 = 'FAILED' then 'OPERATOR' end`,
    [proof, operatorName(signature), signature.why],
  );

/** ACCEPTED or UNKNOWN → MANUAL. */
export function saveManual(
  tx: Tx,
  { reference, state, why }: { reference: string; state: WithdrawState } & Signature,
): Promise<void> {
  assertTransition(withdrawTransitions, state, 'MANUAL');
  return updateForOperator(tx, reference, `state = 'MANUAL', note = $2`, [why]);
}

// The new fence excludes previous lease holders. The row is already locked.
async function updateForOperator(
  tx: Tx,
  reference: string,
  assignmentsSql: string,
  extraParams: unknown[],
): Promise<void> {
  await tx.query(
    `update withdraw set ${assignmentsSql}, fence = fence + 1, leased_until = clock_timestamp() where reference = $1`,
    [reference, ...extraParams],
  );
}
