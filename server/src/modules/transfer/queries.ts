import type { Currency } from '@krapao/contract/money';
import { transferTransitions, type TransferState } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import { operatorName, type Signature } from '../../platform/operator-log.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { Leg, Transfer, BalanceReading } from './transfer.ts';

const TRANSFER_COLUMNS = `id, member_id as "memberId", currency, source, target, amount, reference, input_hash as "inputHash"`;
const LEG_COLUMNS = `l.transfer_id as "transferId", l.leg, l.member_id as "memberId", t.currency, t.reference,
  l.game_code as "gameCode", l.credits_per_unit as "creditsPerUnit", l.direction, l.amount, l.credits, l.provider, l.username,
  case when l.leg = 1 and t.source <> 'WALLET' and t.target <> 'WALLET' then t.target end as "nextGame",
  l.provider_reference as "providerReference", l.state, l.proof, l.proof_by as "proofBy", l.proof_balance as "proofBalance",
  l.balance_before as "balanceBefore", l.turnover_before as "turnoverBefore", l.balance_seen as "balanceSeen", l.turnover_seen as "turnoverSeen", l.code, l.detail, l.absences, l.inquiries, l.is_silent as "isSilent",
  l.fence,
  (extract(epoch from clock_timestamp() - l.sent_at) * 1000)::float8 as "sentAgoMs"`;

export async function findByKey(
  on: Queryable,
  memberId: string,
  idempotencyKey: string,
): Promise<Transfer | undefined> {
  const { rows } = await on.query<Transfer>(
    `select ${TRANSFER_COLUMNS} from transfer where member_id = $1 and idempotency_key = $2`,
    [memberId, idempotencyKey],
  );
  return rows[0];
}

/** Idempotency keys of the given ones that already have a transfer. */
export async function selectUsedKeys(
  on: Queryable,
  memberId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await on.query<{ key: string }>(
    `select idempotency_key as key from transfer where member_id = $1 and idempotency_key = any($2)`,
    [memberId, keys],
  );
  return new Set(rows.map(({ key }) => key));
}

export async function selectLegs(on: Queryable, transferId: string): Promise<Leg[]> {
  const { rows } = await on.query<Leg>(
    `select ${LEG_COLUMNS} from transfer_leg l join transfer t on t.id = l.transfer_id where l.transfer_id = $1 order by l.leg`,
    [transferId],
  );
  return rows;
}

/** Partition of a leg in the resolver: its provider, or `proven` if it needs no reply. */
export const partitionKey = ({ proof, provider }: Pick<Leg, 'proof' | 'provider'>): string =>
  proof === null ? provider : 'proven';

export const transferLegWork: WorkTable = {
  table: 'transfer_leg',
  key: 'provider_reference',
  keyType: 'text',
  due: 'next_inquiry_at',
  lease: 'leased_until',
  open: `(w.state in ('SENT', 'UNKNOWN') or w.state = 'MANUAL' and (w.proof is not null or w.is_inquiry_requested))`,
  label: 'w.provider_reference',
  counted: { attempts: 'w.inquiries', error: `coalesce(w.note, 'no reply')`, since: 'w.sent_at' },
};

const DUE_SQL = dueOfPartitionsSql({
  ...transferLegWork,
  partition: `(case when w.proof is null then w.provider else 'proven' end)`,
  waiting: transferLegWork.open,
  claimable: 'w.leased_until <= statement_timestamp()',
});

/**
 * Claims due legs without a lease. Each gets a new fence, so that the previous lease holder changes nothing. A QUEUED
 * second leg is never due: it starts or ends with the first.
 * @param share concurrent legs of each partition, see {@link partitionKey}
 */
export async function claimDueLegs(
  on: Queryable,
  share: number,
  leaseMs: number,
  inProgress: InProgress,
): Promise<Leg[]> {
  const { rows } = await on.query<Leg>(
    `${DUE_SQL}
     update transfer_leg l
        set fence = l.fence + 1, inquiries = l.inquiries + 1, leased_until = clock_timestamp() + $3 * interval '1 ms'
       from due, transfer t
      where l.provider_reference = due.provider_reference and t.id = l.transfer_id
     returning ${LEG_COLUMNS}`,
    [...partitionParams(share, inProgress), leaseMs],
  );
  return rows;
}

// Every update below checks the state and the fence: a stale worker changes nothing, and the row count shows it.
const IS_FENCED_SQL = 'transfer_id = $1 and leg = $2 and fence = $3 and state = $4';
const fenceParams = ({ transferId, leg, fence, state }: Leg): unknown[] => [transferId, leg, fence, state];

/**
 * SENT → UNKNOWN. Also ends a queued second leg, which must not block its game account or withdrawals while the first
 * leg is open.
 * @param keepLease keeps the lease for the resolver, which continues immediately
 * @returns false if the fence or state has changed
 */
export async function markUnknown(on: Queryable, leg: Leg, note: string, keepLease: boolean): Promise<boolean> {
  assertTransition(transferTransitions, leg.state, 'UNKNOWN');
  const { rowCount } = await on.query(
    `with marked as (
       update transfer_leg set state = 'UNKNOWN', note = $5, next_inquiry_at = clock_timestamp(),
         leased_until = case when $6 then leased_until else clock_timestamp() end
       where ${IS_FENCED_SQL} returning transfer_id, leg)
     select case when leg = 1 then commands.transfer_cancel_second_leg(transfer_id) end from marked`,
    [...fenceParams(leg), note, keepLease],
  );
  return rowCount > 0;
}

type Postponed = {
  isAbsent: boolean;
  isSilent: boolean;
  note: string;
  reading: BalanceReading | null;
  pauseMs: number;
  probeMs: number;
};

// Without a reading the stored values stay.
const SET_READING_SQL = `balance_seen = coalesce($5, balance_seen), turnover_seen = case when $5 is null then turnover_seen else $6 end`;
const readingParams = (reading: BalanceReading | null): unknown[] => [
  reading?.cashAndStakes ?? null,
  reading?.turnover ?? null,
];

/**
 * Schedules the next inquiry with back-off, because the outcome is still unknown. One leg per silent provider is due
 * after `probeMs` at most, see {@link retrySilentNow}.
 */
export async function postpone(
  on: Queryable,
  leg: Leg,
  { isAbsent, isSilent, note, reading, pauseMs, probeMs }: Postponed,
): Promise<void> {
  await on.query(
    `update transfer_leg set ${SET_READING_SQL}, absences = absences + $7, note = $8, is_silent = $9, leased_until = clock_timestamp(),
       next_inquiry_at = clock_timestamp() + interval '1 ms' * case
         when $9 and not exists (
           select from transfer_leg other
            where other.provider = $10 and other.is_silent and other.state = 'UNKNOWN' and other.proof is null
              and other.next_inquiry_at between clock_timestamp() and clock_timestamp() + $12 * interval '1 ms')
         then least($11, $12) else $11 end
     where ${IS_FENCED_SQL}`,
    [...fenceParams(leg), ...readingParams(reading), isAbsent ? 1 : 0, note, isSilent, leg.provider, pauseMs, probeMs],
  );
}

/** Makes all legs of a provider due after its first reply. @returns whether there are any */
export async function retrySilentNow(on: Queryable, provider: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `with waiting as (
       select transfer_id, leg from transfer_leg
        where provider = $1 and is_silent and state = 'UNKNOWN' and proof is null and next_inquiry_at > clock_timestamp()
        order by transfer_id, leg
          for no key update skip locked)
     update transfer_leg l set next_inquiry_at = clock_timestamp(), is_silent = false
       from waiting w where l.transfer_id = w.transfer_id and l.leg = w.leg`,
    [provider],
  );
  return rowCount > 0;
}

/** UNKNOWN or MANUAL → MANUAL. The hold stays until an operator records a proof. */
export async function markManual(
  on: Queryable,
  leg: Leg,
  { note, reading }: { note: string; reading: BalanceReading | null },
): Promise<boolean> {
  if (leg.state !== 'MANUAL') assertTransition(transferTransitions, leg.state, 'MANUAL');
  const { rowCount } = await on.query(
    `update transfer_leg set ${SET_READING_SQL}, state = 'MANUAL', note = $7, is_inquiry_requested = false,
       leased_until = clock_timestamp()
     where ${IS_FENCED_SQL}`,
    [...fenceParams(leg), ...readingParams(reading), note],
  );
  return rowCount > 0;
}

/** Whether any leg of the member may still move money without an operator. */
export const hasOpenTransfer: SnapshotField<boolean> = snapshotField(
  `select exists (select from transfer_leg l where l.member_id = asked.member_id and l.state in ('QUEUED', 'SENT', 'UNKNOWN'))`,
  (hasRow: boolean) => hasRow,
);

/** Legs whose outcome is unknown. */
export const transferQueue = {
  queue: 'transfer',
  work: [transferLegWork],
  resolver: `select sent_at from transfer_leg where state = 'UNKNOWN'`,
  operator: `select sent_at from transfer_leg where state = 'MANUAL'`,
  operatedBy: 'krapao transfers (docs/runbooks/transfers.md)',
} satisfies QueueSource;

/** Credits of open legs, in hundredths. They may or may not have moved. */
export type OpenCredits = { provider: string; direction: 'in' | 'out'; credits: bigint };

/** Sums of open legs by provider and direction. */
export async function selectOpenCredits(on: Queryable): Promise<OpenCredits[]> {
  const { rows } = await on.query<OpenCredits>(
    `select provider, direction, sum(credits)::bigint as credits from transfer_leg
      where state not in ('DONE', 'REVERSED') group by provider, direction`,
  );
  return rows;
}

/** An open leg as shown to an operator. */
export type OpenLeg = Pick<
  Leg,
  | 'providerReference'
  | 'memberId'
  | 'gameCode'
  | 'provider'
  | 'username'
  | 'direction'
  | 'amount'
  | 'credits'
  | 'inquiries'
  | 'absences'
  | 'balanceBefore'
  | 'turnoverBefore'
  | 'balanceSeen'
  | 'turnoverSeen'
  | 'proof'
  | 'proofBy'
> & {
  state: TransferState;
  currency: Currency;
  note: string | null;
  isInquiryRequested: boolean;
  /** Age since the member's request. */
  ageMs: number;
};

/** Open legs, oldest first. */
export async function selectOpenLegs(on: Queryable): Promise<OpenLeg[]> {
  const { rows } = await on.query<OpenLeg>(
    `select l.provider_reference as "providerReference", l.state, l.member_id as "memberId", l.game_code as "gameCode",
            l.provider, l.username, l.direction, l.amount, t.currency, l.credits, l.inquiries, l.absences, l.note,
            l.balance_before as "balanceBefore", l.turnover_before as "turnoverBefore", l.balance_seen as "balanceSeen",
            l.turnover_seen as "turnoverSeen", l.proof, l.proof_by as "proofBy", l.is_inquiry_requested as "isInquiryRequested",
            (extract(epoch from clock_timestamp() - t.created_at) * 1000)::float8 as "ageMs"
       from transfer_leg l join transfer t on t.id = l.transfer_id
      where l.state not in ('DONE', 'REVERSED') order by t.created_at, t.id, l.leg`,
  );
  return rows;
}

/** Fields of a leg that decide whether an operator's command is allowed. */
export type LockedLeg = Pick<Leg, 'providerReference' | 'state' | 'proof' | 'proofBy' | 'sentAgoMs'> & {
  /** True while a server holds the leg's lease, or a requested inquiry about a MANUAL one has no reply yet. */
  isLeased: boolean;
  isInquiryRequested: boolean;
};

/** Locks the legs of a reference until the transaction ends. @param reference of the transfer or of one leg */
export async function lockLegs(tx: Tx, reference: string): Promise<LockedLeg[]> {
  const { rows } = await tx.query<LockedLeg>(
    `select l.provider_reference as "providerReference", l.state, l.proof, l.proof_by as "proofBy",
            l.leased_until > clock_timestamp() or l.state = 'MANUAL' and l.is_inquiry_requested as "isLeased",
            l.is_inquiry_requested as "isInquiryRequested",
            (extract(epoch from clock_timestamp() - l.sent_at) * 1000)::float8 as "sentAgoMs"
       from transfer_leg l
      where l.provider_reference = $1
         or l.transfer_id = (select t.id from transfer t where t.reference = $1)
      order by l.leg for no key update`,
    [reference],
  );
  return rows;
}

/** Records an operator's proof. The resolver of a running server applies it. */
export const saveOperatorProof = (
  tx: Tx,
  reference: string,
  { proof, ...signature }: { proof: 'APPLIED' | 'REFUSED' } & Signature,
): Promise<void> =>
  updateForOperator(
    tx,
    reference,
    'MANUAL',
    `proof = $3, proof_by = $4, note = $5, code = $6, next_inquiry_at = clock_timestamp()`,
    [proof, operatorName(signature), signature.why, proof === 'REFUSED' ? 'TRANSFER_FAIL' : null],
  );

/** UNKNOWN → MANUAL. */
export function saveManual(tx: Tx, reference: string, { why }: Signature): Promise<void> {
  assertTransition(transferTransitions, 'UNKNOWN', 'MANUAL');
  return updateForOperator(tx, reference, 'UNKNOWN', `state = 'MANUAL', note = $3`, [why]);
}

/** Makes an inquiry about an UNKNOWN or MANUAL leg due. For a MANUAL one, earlier absences no longer count. */
export const saveInquiryRequest = (tx: Tx, { providerReference, state }: LockedLeg): Promise<void> =>
  updateForOperator(
    tx,
    providerReference,
    state,
    state === 'MANUAL'
      ? `is_inquiry_requested = true, absences = 0, inquiries = 0, next_inquiry_at = clock_timestamp()`
      : `next_inquiry_at = clock_timestamp()`,
    [],
  );

// The new fence excludes previous lease holders. The row is already locked, so another state is a programming error.
async function updateForOperator(
  tx: Tx,
  reference: string,
  expectedState: TransferState,
  assignmentsSql: string,
  extraParams: unknown[],
): Promise<void> {
  const { rowCount } = await tx.query(
    `update transfer_leg set ${assignmentsSql}, fence = fence + 1, leased_until = clock_timestamp()
      where provider_reference = $1 and state = $2 and proof is null`,
    [reference, expectedState, ...extraParams],
  );
  if (rowCount !== 1) throw new Error(`${reference} was not ${expectedState} any more`);
}
