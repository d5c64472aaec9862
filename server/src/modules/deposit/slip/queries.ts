import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import type { Minor } from '@krapao/contract/money';
import { slipTransitions } from '@krapao/contract/states';
import type { LookedUpTransfer } from '../../../adapters/slip-lookup.ts';
import { type Queryable, violatedConstraint, type Tx } from '../../../platform/database/database.ts';
import { afterCursorSql, cursorSql, nextCursor, type PageRequest } from '../../../platform/database/paging.ts';
import type { WorkTable } from '../../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../../platform/jobs/partitions.ts';
import type { InProgress } from '../../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../../platform/jobs/queues.ts';
import { statesBefore } from '../../../platform/state-machine.ts';
import { creditKey, type IncomingTransfer, type TransferIdentity } from '../bank-transfer/index.ts';
import type { ManualReason, Slip } from './slip.ts';

type CreditedSlip = TransferIdentity & { id: string };

const SLIP_COLUMNS = `id, member_id as "memberId", reference, currency, state, reason, created_at as "createdAt",
  upload_key as "uploadKey", picture_key as "imageKey", folder_id as "folderId", sending_bank as "sendingBank", trans_ref as "transRef",
  amount, verdict, decided_by as "decidedBy", bonus_code as "bonusCode", tries, refusals`;

/** Registers an object before it is stored, so that the sweep finds it after a crash. */
export async function insertFile(db: Queryable, key: string): Promise<void> {
  await db.query('insert into slip_file (key) values ($1)', [key]);
}

export async function deleteFile(db: Queryable, key: string): Promise<void> {
  await db.query('delete from slip_file where key = $1', [key]);
}

/** Keys of objects without a slip, older than any upload takes. */
export async function selectOrphans(
  db: Queryable,
  olderThanMs: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(
    `select key from slip_file f
     where created_at < now() - $1 * interval '1 millisecond'
       and not exists (select from slip where upload_key = f.key)
       and not exists (select from slip where picture_key = f.key)
     order by created_at, key limit $2 offset $3`,
    [olderThanMs, limit, offset],
  );
  return rows.map(({ key }) => key);
}

export async function insertSlip(
  db: Queryable,
  slip: Pick<Slip, 'id' | 'memberId' | 'reference' | 'currency' | 'folderId' | 'bonusCode'> & { uploadKey: string },
): Promise<Slip> {
  const { rows } = await db.query<Slip>(
    `insert into slip (id, member_id, reference, currency, state, upload_key, folder_id, bonus_code)
     values ($1, $2, $3, $4, 'RECEIVED', $5, $6, $7) returning ${SLIP_COLUMNS}`,
    [slip.id, slip.memberId, slip.reference, slip.currency, slip.uploadKey, slip.folderId, slip.bonusCode],
  );
  if (!rows[0]) throw new Error('a slip was not entered');
  return rows[0];
}

export async function countPendingSlips(db: Queryable, memberId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from slip where member_id = $1 and state in ('RECEIVED', 'READ')`,
    [memberId],
  );
  return rows[0]?.count ?? 0;
}

const SLIP_ORDER = { time: 'created_at', key: 'id', keyType: 'uuid' } as const;

export async function selectSlipPage(
  db: Queryable,
  memberId: string,
  request: PageRequest,
): Promise<{ total: number; slips: Slip[]; next: string | undefined }> {
  const { page, limit, before = null } = request;
  const [countResult, { rows }] = await Promise.all([
    db.query<{ total: number }>(
      `select count(*)::int as total from slip where member_id = $1 and ${afterCursorSql(SLIP_ORDER, '$2')}`,
      [memberId, before],
    ),
    db.query<Slip & { cursor: string }>(
      `select ${SLIP_COLUMNS}, ${cursorSql(SLIP_ORDER)} as cursor from slip
        where member_id = $1 and ${afterCursorSql(SLIP_ORDER, '$4')}
       order by created_at desc, id desc limit $2 offset $3`,
      [memberId, limit, (page - 1) * limit, before],
    ),
  ]);
  const total = countResult.rows[0]?.total ?? 0;
  return { total, slips: rows, next: nextCursor(request, { total, last: rows.at(-1)?.cursor }) };
}

export async function findSlipByReference(db: Queryable, reference: string): Promise<Slip | undefined> {
  const { rows } = await db.query<Slip>(`select ${SLIP_COLUMNS} from slip where reference = $1`, [reference]);
  return rows[0];
}

/** Time that a slip waits for the server with its file; afterwards any server may report the file missing. */
const FOLDER_WAIT_INTERVAL = "interval '1 hour'";

const DUE_SQL = dueOfPartitionsSql({
  table: 'slip',
  key: 'id',
  due: 'work_at',
  partition: 'w.state',
  waiting: 'w.work_at is not null',
  claimable: `(w.state <> 'RECEIVED' or w.folder_id is null or w.folder_id = $4 or w.created_at < now() - ${FOLDER_WAIT_INTERVAL})`,
});

/**
 * Claims due slips under a lease. A slip whose file is in another folder is left to the servers of that folder.
 * @param share concurrent slips of each state: only the look-up of READ slips waits for the bank
 * @param folderId the folder of this server; undefined: a bucket
 */
export async function claimDue(
  db: Queryable,
  share: number,
  leaseMs: number,
  { folderId, inProgress }: { folderId: string | undefined; inProgress: InProgress },
): Promise<Slip[]> {
  const { rows } = await db.query<Slip>(
    `${DUE_SQL}
     update slip set ${leaseSql('work_at', "now() + $3 * interval '1 millisecond'")}, tries = tries + 1
      where id in (select id from due)
     returning ${SLIP_COLUMNS}`,
    [...partitionParams(share, inProgress), leaseMs, folderId ?? null],
    { name: 'slip-claim-due' },
  );
  return rows;
}

/** Stores the transfer identified by the slip's code. Its look-up is due immediately. */
export async function markSlipRead(
  db: Queryable,
  id: string,
  reading: { imageKey: string; sendingBank: string; transRef: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slip set state = 'READ', upload_key = null, picture_key = $2, sending_bank = $3, trans_ref = $4,
       work_at = now(), tries = 0
     where id = $1 and state = any($5)`,
    [id, reading.imageKey, reading.sendingBank, reading.transRef, statesBefore(slipTransitions, 'READ', 'RECEIVED')],
  );
  return rowCount === 1;
}

/** Fails an unreadable slip. Releases the uploaded file and keeps the decoded image. */
export async function markUnreadable(
  db: Queryable,
  id: string,
  imageKey: string | null,
  reason: SlipReason,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slip set state = 'FAILED', reason = $3, upload_key = null, picture_key = $2, ended_at = now(), work_at = null
     where id = $1 and state = any($4)`,
    [id, imageKey, reason, statesBefore(slipTransitions, 'FAILED', 'RECEIVED')],
  );
  return rowCount === 1;
}

/** Stores the bank's reply about the transfer. */
export async function saveLookup(db: Queryable, id: string, transfer: LookedUpTransfer): Promise<void> {
  const { from, to } = transfer;
  await db.query(
    `update slip set amount = $2, paid_at = $3, evidence = $4, refusals = 0 where id = $1 and state = 'READ'`,
    [id, transfer.amount, transfer.sentAt, JSON.stringify({ from, to, currency: transfer.currency })],
  );
}

/** Stores amount and time of a transfer that was credited without its slip. */
export async function saveEarlierCredit(db: Queryable, id: string, amount: Minor, paidAt: Date): Promise<void> {
  await db.query(`update slip set amount = $2, paid_at = $3 where id = $1 and state = 'READ'`, [id, amount, paidAt]);
}

/**
 * Marks the slip of a credited transfer. The bonus chosen with it falls due in the same statement.
 * @returns false when another slip of the same transfer was credited
 */
export async function markCredited(db: Queryable, { id, sendingBank, transRef }: CreditedSlip): Promise<boolean> {
  try {
    const { rows } = await db.query(
      `with credited as (
         update slip set state = 'CREDITED', reason = null, verdict = null, ended_at = now(), work_at = null
          where id = $1 and state = any($2) returning *),
       chosen as (
         insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
         select $3, member_id, currency, bonus_code, reference from credited where bonus_code is not null
         on conflict do nothing)
       select id from credited`,
      [id, statesBefore(slipTransitions, 'CREDITED'), creditKey({ sendingBank, transRef })],
    );
    if (rows.length !== 1) throw new Error(`the slip ${id} has ended in another way`);
    return true;
  } catch (error) {
    if (violatedConstraint(error) === 'slip_credited_once') return false;
    throw error;
  }
}

export async function markFailed(db: Queryable, id: string, reason: SlipReason): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slip set state = 'FAILED', reason = $2, ended_at = now(), work_at = null
     where id = $1 and state = any($3)`,
    [id, reason, statesBefore(slipTransitions, 'FAILED')],
  );
  return rowCount === 1;
}

export async function markManual(db: Queryable, id: string, reason: ManualReason): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slip set state = 'MANUAL', reason = $2, work_at = null where id = $1 and state = any($3)`,
    [id, reason, statesBefore(slipTransitions, 'MANUAL')],
  );
  return rowCount === 1;
}

/** Reschedules a slip. Omitted `verdict` and `refusals` stay unchanged. `isUncounted`: the try does not count. */
export async function postpone(
  db: Queryable,
  id: string,
  schedule: { inMs: number; verdict?: SlipReason; refusals?: number; isUncounted?: boolean },
): Promise<void> {
  await db.query(
    `update slip set work_at = now() + $2::float8 * interval '1 millisecond', verdict = coalesce($3, verdict),
       refusals = coalesce($4, refusals), tries = tries - case when $5 then 1 else 0 end
     where id = $1 and state in ('RECEIVED', 'READ')`,
    [id, schedule.inMs, schedule.verdict ?? null, schedule.refusals ?? null, schedule.isUncounted ?? false],
  );
}

export const slipWork: WorkTable = {
  table: 'slip',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: 'w.reference',
  counted: { attempts: 'w.tries', error: `'the bank does not tell about it'`, since: 'w.created_at' },
};

/** Overdue slips, and slips that wait for an operator. */
export const slipQueue = {
  queue: 'slip',
  work: [slipWork],
  resolver: `select work_at from slip where work_at < now()`,
  operator: `select created_at from slip where state = 'MANUAL' and decided_by is null`,
  operatedBy: 'krapao slips (docs/runbooks/slips.md)',
} satisfies QueueSource;

/** Sender or receiver of a transfer as reported by the bank: masked. */
export type ReportedParty = { bankCode: string; accountNo: string; name: string };

export type WaitingSlip = Pick<
  Slip,
  'reference' | 'memberId' | 'currency' | 'reason' | 'sendingBank' | 'transRef' | 'amount' | 'imageKey' | 'createdAt'
> & {
  /** Sender as reported by the bank; null before the look-up. */
  from: ReportedParty | null;
  to: ReportedParty | null;
  /** Other members with a slip of the same transfer. */
  alsoSentBy: string[];
  ageMs: number;
};

/** Slips that wait for an operator, oldest first. */
export async function selectWaitingSlips(db: Queryable): Promise<WaitingSlip[]> {
  const { rows } = await db.query<WaitingSlip>(
    `select s.reference, s.member_id as "memberId", s.currency, s.reason, s.sending_bank as "sendingBank",
            s.trans_ref as "transRef", s.amount, s.picture_key as "imageKey", s.created_at as "createdAt",
            s.evidence -> 'from' as "from", s.evidence -> 'to' as "to",
            array(select distinct o.member_id from slip o
                   where o.sending_bank = s.sending_bank and o.trans_ref = s.trans_ref
                     and o.member_id <> s.member_id)::text[] as "alsoSentBy",
            (extract(epoch from now() - s.created_at) * 1000)::float8 as "ageMs"
       from slip s where s.state = 'MANUAL' and s.decided_by is null order by s.created_at, s.id limit 1000`,
  );
  return rows;
}

/** A slip, locked until the transaction ends. */
export type LockedSlip = Pick<
  Slip,
  'id' | 'memberId' | 'reference' | 'currency' | 'state' | 'sendingBank' | 'transRef'
> & {
  decidedBy: string | null;
  uploadKey: string | null;
};

export async function lockSlip(tx: Tx, reference: string): Promise<LockedSlip | undefined> {
  const { rows } = await tx.query<LockedSlip>(
    `select id, member_id as "memberId", reference, currency, state, sending_bank as "sendingBank", trans_ref as "transRef",
            decided_by as "decidedBy", upload_key as "uploadKey"
       from slip where reference = $1 for no key update`,
    [reference],
  );
  return rows[0];
}

/** Links a slip to the transfer assigned to its member. The resolver closes the slip after the credit. */
export async function saveApproval(tx: Tx, id: string, transfer: IncomingTransfer, operator: string): Promise<void> {
  await tx.query(
    `update slip set sending_bank = $2, trans_ref = $3, amount = $4, paid_at = $5, decided_by = $6, upload_key = null,
       work_at = now(), tries = 0
     where id = $1 and state = 'MANUAL'`,
    [id, transfer.sendingBank, transfer.transRef, transfer.amount, transfer.sentAt, operator],
  );
}

/** MANUAL → FAILED. */
export async function saveRefusal(tx: Tx, id: string, reason: SlipReason, operator: string): Promise<void> {
  await tx.query(
    `update slip set state = 'FAILED', reason = $2, decided_by = $3, upload_key = null, ended_at = now(), work_at = null
     where id = $1 and state = any($4)`,
    [id, reason, operator, statesBefore(slipTransitions, 'FAILED', 'MANUAL')],
  );
}

/** MANUAL → RECEIVED (read again) or READ (look up again). */
export async function saveRetry(tx: Tx, id: string, nextState: 'RECEIVED' | 'READ'): Promise<void> {
  await tx.query(
    `update slip set state = $2, reason = null, verdict = null, tries = 0, refusals = 0, work_at = now()
     where id = $1 and state = any($3)`,
    [id, nextState, statesBefore(slipTransitions, nextState)],
  );
}
