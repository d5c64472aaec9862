import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { slipTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../../platform/database/database.ts';
import { sourcesOf } from '../../../settlement/transition.ts';
import type { Arrival } from '../bank-transfer/module.ts';
import type { Slip } from './slip.ts';

/** One end of a transfer as the bank tells it: masked. */
export type ToldEnd = { bankCode: string; accountNo: string; name: string };

/** A slip that waits for an operator. */
export type WaitingSlip = Pick<
  Slip,
  'reference' | 'memberId' | 'currency' | 'reason' | 'sendingBank' | 'transRef' | 'amount' | 'pictureKey' | 'createdAt'
> & {
  /** What the bank told; null while it has not. */
  from: ToldEnd | null;
  to: ToldEnd | null;
  /** Other members who have sent a slip of the same transfer. */
  alsoSentBy: string[];
  ageMs: number;
};

/** Oldest first. */
export async function selectWaiting(on: Queryable): Promise<WaitingSlip[]> {
  const { rows } = await on.query<WaitingSlip>(
    `select s.reference, s.member_id as "memberId", s.currency, s.reason, s.sending_bank as "sendingBank",
            s.trans_ref as "transRef", s.amount, s.picture_key as "pictureKey", s.created_at as "createdAt",
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
export type SlipInHand = Pick<Slip, 'id' | 'memberId' | 'currency' | 'state' | 'sendingBank' | 'transRef'> & {
  decidedBy: string | null;
  uploadKey: string | null;
};

export async function lockSlip(tx: Tx, reference: string): Promise<SlipInHand | undefined> {
  const { rows } = await tx.query<SlipInHand>(
    `select id, member_id as "memberId", currency, state, sending_bank as "sendingBank", trans_ref as "transRef",
            decided_by as "decidedBy", upload_key as "uploadKey"
       from slip where reference = $1 for no key update`,
    [reference],
  );
  return rows[0];
}

/** It belongs to this transfer, which is being credited to its member: the worker ends it when that is done. */
export async function saveApproval(tx: Tx, id: string, arrival: Arrival, by: string): Promise<void> {
  await tx.query(
    `update slip set sending_bank = $2, trans_ref = $3, amount = $4, paid_at = $5, decided_by = $6, upload_key = null,
       work_at = now(), tries = 0
     where id = $1 and state = 'MANUAL'`,
    [id, arrival.sendingBank, arrival.transRef, arrival.amount, arrival.sentAt, by],
  );
}

/** MANUAL → FAILED. */
export async function saveRefusal(tx: Tx, id: string, reason: SlipReason, by: string): Promise<void> {
  await tx.query(
    `update slip set state = 'FAILED', reason = $2, decided_by = $3, upload_key = null, ended_at = now(), work_at = null
     where id = $1 and state = any($4)`,
    [id, reason, by, sourcesOf(slipTransitions, 'FAILED', 'MANUAL')],
  );
}

/** What could not be read is read again; about what was read the bank is asked again. */
export async function saveAskedAgain(tx: Tx, id: string, next: 'RECEIVED' | 'READ'): Promise<void> {
  await tx.query(
    `update slip set state = $2, reason = null, verdict = null, tries = 0, refusals = 0, work_at = now()
     where id = $1 and state = any($3)`,
    [id, next, sourcesOf(slipTransitions, next)],
  );
}
