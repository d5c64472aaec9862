import type { Currency } from '@krapao/contract/money';
import { type TransferState, transferTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { operatorName, type Signature } from '../../platform/start/operator-log.ts';
import { assertTransition } from '../../settlement/transition.ts';
import type { Leg } from './transfer.ts';

/** A leg that is not over, as an operator looks at it. */
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
  | 'asks'
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
  isAskedAgain: boolean;
  /** Since the member asked for it. */
  ageMs: number;
};

/** Everything that is not over, oldest first. */
export async function selectOpenLegs(on: Queryable): Promise<OpenLeg[]> {
  const { rows } = await on.query<OpenLeg>(
    `select l.provider_reference as "providerReference", l.state, l.member_id as "memberId", l.game_code as "gameCode",
            l.provider, l.username, l.direction, l.amount, t.currency, l.credits, l.asks, l.absences, l.note,
            l.balance_before as "balanceBefore", l.turnover_before as "turnoverBefore", l.balance_seen as "balanceSeen",
            l.turnover_seen as "turnoverSeen", l.proof, l.proof_by as "proofBy", l.is_asked_again as "isAskedAgain",
            (extract(epoch from clock_timestamp() - t.created_at) * 1000)::float8 as "ageMs"
       from transfer_leg l join transfer t on t.id = l.transfer_id
      where l.state not in ('DONE', 'REVERSED') order by t.created_at, t.id, l.leg`,
  );
  return rows;
}

/** What decides whether an operator may have it. */
export type LegInHand = Pick<Leg, 'providerReference' | 'state' | 'proof' | 'proofBy' | 'sentAgoMs'> & {
  /** A server holds its lease. */
  isLeased: boolean;
  isAskedAgain: boolean;
};

/** The legs that a reference means, with the number of the leg or without; locked until the transaction ends. */
export async function lockLegs(tx: Tx, reference: string): Promise<LegInHand[]> {
  const { rows } = await tx.query<LegInHand>(
    `select l.provider_reference as "providerReference", l.state, l.proof, l.proof_by as "proofBy",
            l.leased_until > clock_timestamp() as "isLeased",
            l.is_asked_again as "isAskedAgain",
            (extract(epoch from clock_timestamp() - l.sent_at) * 1000)::float8 as "sentAgoMs"
       from transfer_leg l
      where l.provider_reference = $1
         or l.transfer_id = (select t.id from transfer t where t.reference = $1)
      order by l.leg for no key update`,
    [reference],
  );
  return rows;
}

/** A proof that an operator has found. The resolver of a running server follows it. */
export const saveSettlement = (
  tx: Tx,
  reference: string,
  { proof, ...signature }: { proof: 'APPLIED' | 'REFUSED' } & Signature,
): Promise<void> =>
  take(tx, reference, 'MANUAL', `proof = $3, proof_by = $4, note = $5, code = $6, next_ask_at = clock_timestamp()`, [
    proof,
    operatorName(signature),
    signature.why,
    proof === 'REFUSED' ? 'TRANSFER_FAIL' : null,
  ]);

/** UNKNOWN → MANUAL. */
export function saveTakenOver(tx: Tx, reference: string, { why }: Signature): Promise<void> {
  assertTransition(transferTransitions, 'UNKNOWN', 'MANUAL');
  return take(tx, reference, 'UNKNOWN', `state = 'MANUAL', note = $3`, [why]);
}

/** The provider is asked once more about one that is MANUAL. What was not there before has to be not there twice again. */
export const saveAskedAgain = (tx: Tx, reference: string): Promise<void> =>
  take(tx, reference, 'MANUAL', `is_asked_again = true, absences = 0, asks = 0, next_ask_at = clock_timestamp()`, []);

// The fence shuts out previous lease holders. The row is locked and was read: another state is a defect.
async function take(tx: Tx, reference: string, from: TransferState, change: string, values: unknown[]): Promise<void> {
  const { rowCount } = await tx.query(
    `update transfer_leg set ${change}, fence = fence + 1
      where provider_reference = $1 and state = $2 and proof is null and leased_until <= clock_timestamp()`,
    [reference, from, ...values],
  );
  if (rowCount !== 1) throw new Error(`${reference} was not ${from} any more`);
}
