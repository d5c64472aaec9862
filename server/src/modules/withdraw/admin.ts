import { type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { runAfterInquiry } from '../../platform/jobs/leases.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import {
  type LockedWithdrawal,
  lockWithdrawal,
  type OpenWithdrawal,
  saveDecision,
  saveManual,
  scheduleNow,
  selectOpenWithdrawals,
} from './queries.ts';
import type { PayoutProof } from './withdraw.ts';

export type { OpenWithdrawal } from './queries.ts';

/** Open payouts, oldest first. */
export const openPayouts = (on: Queryable): Promise<OpenWithdrawal[]> => selectOpenWithdrawals(on);

/** Operator commands for a payout whose outcome is unknown. */
export type PayoutAction =
  /** For state MANUAL: the operator has proof that the bank paid, or will never pay. */
  | { command: 'settle'; proof: PayoutProof }
  /** ACCEPTED or UNKNOWN → MANUAL: the resolver neither inquires nor sends any more. */
  | { command: 'manual' }
  /** Inquires now. A MANUAL payout stays MANUAL unless the bank reports an outcome. */
  | { command: 'inquire' };

/**
 * Why a command was refused. not_this_state: see `state` · decided: an operator has already decided, see `decidedBy` ·
 * too_young: the call may still be executed
 */
export type PayoutRefusal = 'unknown_reference' | 'not_this_state' | 'decided' | 'too_young';
export type PayoutResult =
  | { outcome: 'done' }
  | { outcome: 'refused'; refusal: PayoutRefusal; state: string | null; decidedBy: string | null };

/** Age after which a call can no longer be executed, for any timeout of the bank. */
const CALL_AGE_MIN_MS = 5 * 60_000;

const EXPECTED_STATES: Readonly<Record<PayoutAction['command'], readonly WithdrawState[]>> = {
  settle: ['MANUAL'],
  manual: statesBefore(withdrawTransitions, 'MANUAL'),
  inquire: ['ACCEPTED', 'UNKNOWN', 'MANUAL'],
};

/**
 * Executes and logs an operator's command on a payout, after its running inquiry. After `settle`, the resolver of a
 * running server moves the money within a second, with the operator as the ledger's actor.
 */
export const operatePayout = (
  database: Database,
  reference: string,
  action: PayoutAction,
  signature: Signature,
): Promise<PayoutResult> =>
  runAfterInquiry((mayTakeOver) =>
    database.tx(async (tx) => {
      const payout = await lockWithdrawal(tx, reference);
      if (!payout) return { outcome: 'refused', refusal: 'unknown_reference', state: null, decidedBy: null };
      const refusal = refusalFor(payout, action);
      if (refusal) return { outcome: 'refused', refusal, state: payout.state, decidedBy: payout.proofBy };
      // A running inquiry makes the requested one due itself.
      if (payout.isLeased && !mayTakeOver && action.command !== 'inquire') return undefined;
      if (action.command === 'settle') await saveDecision(tx, { reference, proof: action.proof, ...signature });
      else if (action.command === 'manual') await saveManual(tx, { reference, state: payout.state, ...signature });
      else await scheduleNow(tx, reference);
      const what = action.command === 'settle' ? `payouts settle ${action.proof}` : `payouts ${action.command}`;
      await logOperator(tx, signature, { what, subject: reference });
      return { outcome: 'done' };
    }),
  );

function refusalFor(payout: LockedWithdrawal, { command }: PayoutAction): PayoutRefusal | undefined {
  if (!EXPECTED_STATES[command].includes(payout.state)) return 'not_this_state';
  if (payout.proof !== null) return 'decided';
  if (command === 'manual' && (payout.sentAgoMs ?? 0) < CALL_AGE_MIN_MS) return 'too_young';
  return undefined;
}
