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

/** Legs that are not over, oldest first. */
export const openLegs = (on: Queryable): Promise<OpenLeg[]> => selectOpenLegs(on);

/** What an operator can do with a leg whose outcome is unknown. */
export type OperatorAction =
  /** They have found out that the provider did it, or didn't. */
  | { step: 'settle'; proof: 'APPLIED' | 'REFUSED' }
  /** They take one that is UNKNOWN out of the resolver's hands. */
  | { step: 'manual' }
  /** They want the provider asked once more about one that is MANUAL. */
  | { step: 'ask' };

/**
 * Why not. UNKNOWN_REFERENCE · NOT_THIS_STATE: see `state` · DECIDED: `by` has settled it before · ASKED_AGAIN:
 * it is being asked about again · UNDER_WAY: a server is at work on it this moment · TOO_YOUNG: its call may still be
 * carried out
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
  | { outcome: 'refused'; why: OperatorRefusal; state: string | null; by: string | null };

/** A call that went out so long ago isn't carried out any more, whatever the timeout of its provider. */
const OPERATORS_WAIT_MS = 5 * 60_000;

/**
 * Does what an operator wants with the one leg that `reference` means, with its number or without, and writes down who did
 * it and why. Money moves on a settlement: the resolver of a running server follows it within a second.
 */
export function operateTransfer(
  database: Database,
  reference: string,
  step: OperatorAction,
  signature: Signature,
): Promise<OperatorResult> {
  return database.tx(async (tx) => {
    const legs = await lockLegs(tx, reference);
    const wanted = step.step === 'manual' ? 'UNKNOWN' : 'MANUAL';
    // The second leg begins when the first is over: at most one of them is of a kind that an operator can have.
    const leg = legs.find(({ state }) => state === wanted) ?? legs[0];
    if (!leg) return { outcome: 'refused', why: 'UNKNOWN_REFERENCE', state: null, by: null };
    const why = hindranceOf(leg, step, wanted);
    if (why) return { outcome: 'refused', why, state: leg.state, by: leg.proofBy };
    const subject = leg.providerReference;
    switch (step.step) {
      case 'settle':
        assertTransition(transferTransitions, leg.state, step.proof === 'APPLIED' ? 'DONE' : 'REVERSED');
        await saveOperatorProof(tx, subject, { proof: step.proof, ...signature });
        break;
      case 'manual':
        await saveManual(tx, subject, signature);
        break;
      case 'ask':
        await saveInquiryRequest(tx, subject);
    }
    const what = step.step === 'settle' ? `transfers settle ${step.proof}` : `transfers ${step.step}`;
    await logOperator(tx, signature, { what, subject });
    return { outcome: 'done', reference: subject };
  });
}

function hindranceOf(leg: LockedLeg, { step }: OperatorAction, wanted: string): OperatorRefusal | undefined {
  if (leg.state !== wanted) return 'NOT_THIS_STATE';
  if (leg.proof !== null) return 'DECIDED';
  if (leg.isLeased) return 'UNDER_WAY';
  if (step === 'ask' && leg.isAskedAgain) return 'ASKED_AGAIN';
  if (step === 'manual' && (leg.sentAgoMs ?? 0) < OPERATORS_WAIT_MS) return 'TOO_YOUNG';
  return undefined;
}
