import { transferTransitions, type TransferState } from '@krapao/contract/states';
import type { Database, Queryable, Tx } from '../../platform/database/database.ts';
import { runAfterInquiry } from '../../platform/jobs/leases.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import {
  type LockedLeg,
  lockLegs,
  type OpenLeg,
  saveInquiryRequest,
  saveOperatorProof,
  saveManual,
  selectOpenLegs,
} from './queries.ts';

export type { OpenLeg } from './queries.ts';

/** Open legs, oldest first. */
export const openLegs = (on: Queryable): Promise<OpenLeg[]> => selectOpenLegs(on);

/** Operator commands for a leg whose outcome is unknown. */
export type OperatorAction =
  /** For state MANUAL: the operator has proof that the provider applied or refused the transfer. */
  | { command: 'settle'; proof: 'APPLIED' | 'REFUSED' }
  /** UNKNOWN → MANUAL: the resolver stops inquiring. */
  | { command: 'manual' }
  /** For states UNKNOWN and MANUAL: requests another inquiry now. */
  | { command: 'inquire' };

/**
 * Why a command was refused. not_this_state: see `state` · decided: an operator has already decided, see `decidedBy` ·
 * inquiry_pending: an inquiry is pending · too_young: the call may still be executed
 */
export type OperatorRefusal = 'unknown_reference' | 'not_this_state' | 'decided' | 'inquiry_pending' | 'too_young';
export type OperatorResult =
  | { outcome: 'done'; reference: string }
  | { outcome: 'refused'; refusal: OperatorRefusal; state: string | null; decidedBy: string | null };

/** Age after which a call can no longer be executed, for any provider timeout. */
const CALL_AGE_MIN_MS = 5 * 60_000;

/** States in which a command is allowed. */
const EXPECTED_STATES: Readonly<Record<OperatorAction['command'], readonly TransferState[]>> = {
  settle: ['MANUAL'],
  manual: ['UNKNOWN'],
  inquire: ['UNKNOWN', 'MANUAL'],
};

/**
 * Executes and logs an operator's command on a leg, after its running inquiry. After `settle`, a running server moves
 * the money within a second.
 * @param reference of the transfer, or of one leg (with its number)
 */
export const operateTransfer = (
  database: Database,
  reference: string,
  action: OperatorAction,
  signature: Signature,
): Promise<OperatorResult> =>
  runAfterInquiry((mayTakeOver) =>
    database.tx(async (tx) => {
      const legs = await lockLegs(tx, reference);
      // The second leg starts after the first has ended, so at most one leg is UNKNOWN or MANUAL.
      const leg = legs.find(({ state }) => EXPECTED_STATES[action.command].includes(state)) ?? legs[0];
      if (!leg) return { outcome: 'refused', refusal: 'unknown_reference', state: null, decidedBy: null };
      const refusal = refusalFor(leg, action);
      if (refusal) return { outcome: 'refused', refusal, state: leg.state, decidedBy: leg.proofBy };
      if (leg.isLeased && !mayTakeOver) return undefined;
      await execute(tx, leg, action, signature);
      return { outcome: 'done', reference: leg.providerReference };
    }),
  );

async function execute(tx: Tx, leg: LockedLeg, action: OperatorAction, signature: Signature): Promise<void> {
  const { providerReference } = leg;
  switch (action.command) {
    case 'settle':
      assertTransition(transferTransitions, leg.state, action.proof === 'APPLIED' ? 'DONE' : 'REVERSED');
      await saveOperatorProof(tx, providerReference, { proof: action.proof, ...signature });
      break;
    case 'manual':
      await saveManual(tx, providerReference, signature);
      break;
    case 'inquire':
      await saveInquiryRequest(tx, leg);
  }
  const what = action.command === 'settle' ? `transfers settle ${action.proof}` : `transfers ${action.command}`;
  await logOperator(tx, signature, { what, subject: providerReference });
}

function refusalFor(leg: LockedLeg, { command }: OperatorAction): OperatorRefusal | undefined {
  if (!EXPECTED_STATES[command].includes(leg.state)) return 'not_this_state';
  if (leg.proof !== null) return 'decided';
  if (command === 'inquire' && leg.isInquiryRequested) return 'inquiry_pending';
  if (command === 'manual' && (leg.sentAgoMs ?? 0) < CALL_AGE_MIN_MS) return 'too_young';
  return undefined;
}
