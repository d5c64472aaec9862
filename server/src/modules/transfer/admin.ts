import { transferTransitions } from '@krapao/contract/states';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
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
  /** For state MANUAL: requests another inquiry. */
  | { command: 'ask' };

/**
 * Why a command was refused. NOT_THIS_STATE: see `state` · DECIDED: an operator has already decided, see `by` ·
 * ASKED_AGAIN: an inquiry is pending · UNDER_WAY: a server holds its lease · TOO_YOUNG: the call may still be executed
 */
export type OperatorRefusal =
  | 'UNKNOWN_REFERENCE'
  | 'NOT_THIS_STATE'
  | 'DECIDED'
  | 'ASKED_AGAIN'
  | 'UNDER_WAY'
  | 'TOO_YOUNG';
export type OperatorResult =
  | { outcome: 'done'; reference: string }
  | { outcome: 'refused'; refusal: OperatorRefusal; state: string | null; decidedBy: string | null };

/** Age after which a call can no longer be executed, for any provider timeout. */
const CALL_AGE_MIN_MS = 5 * 60_000;

/**
 * Executes and logs an operator's command on a leg. After `settle`, a running server moves the money within a second.
 * @param reference of the transfer, or of one leg (with its number)
 */
export function operateTransfer(
  database: Database,
  reference: string,
  action: OperatorAction,
  signature: Signature,
): Promise<OperatorResult> {
  return database.tx(async (tx) => {
    const legs = await lockLegs(tx, reference);
    const expectedState = action.command === 'manual' ? 'UNKNOWN' : 'MANUAL';
    // The second leg starts after the first has ended, so at most one leg is UNKNOWN or MANUAL.
    const leg = legs.find(({ state }) => state === expectedState) ?? legs[0];
    if (!leg) return { outcome: 'refused', refusal: 'UNKNOWN_REFERENCE', state: null, decidedBy: null };
    const refusal = refusalFor(leg, action, expectedState);
    if (refusal) return { outcome: 'refused', refusal, state: leg.state, decidedBy: leg.proofBy };
    const providerReference = leg.providerReference;
    switch (action.command) {
      case 'settle':
        assertTransition(transferTransitions, leg.state, action.proof === 'APPLIED' ? 'DONE' : 'REVERSED');
        await saveOperatorProof(tx, providerReference, { proof: action.proof, ...signature });
        break;
      case 'manual':
        await saveManual(tx, providerReference, signature);
        break;
      case 'ask':
        await saveInquiryRequest(tx, providerReference);
    }
    const what = action.command === 'settle' ? `transfers settle ${action.proof}` : `transfers ${action.command}`;
    await logOperator(tx, signature, { what, subject: providerReference });
    return { outcome: 'done', reference: providerReference };
  });
}

function refusalFor(leg: LockedLeg, { command }: OperatorAction, expectedState: string): OperatorRefusal | undefined {
  if (leg.state !== expectedState) return 'NOT_THIS_STATE';
  if (leg.proof !== null) return 'DECIDED';
  if (leg.isLeased) return 'UNDER_WAY';
  if (command === 'ask' && leg.isAskedAgain) return 'ASKED_AGAIN';
  if (command === 'manual' && (leg.sentAgoMs ?? 0) < CALL_AGE_MIN_MS) return 'TOO_YOUNG';
  return undefined;
}
