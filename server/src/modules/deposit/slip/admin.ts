import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { slipTransitions } from '@krapao/contract/states';
import type { Database, Queryable, Tx } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { assertTransition } from '../../../platform/state-machine.ts';
import {
  type IncomingTransfer,
  type TransferIdentity,
  claimForOperator,
  findTransfer,
} from '../bank-transfer/index.ts';
import {
  lockSlip,
  saveApproval,
  saveRetry,
  saveRefusal,
  selectWaiting,
  type LockedSlip,
  type WaitingSlip,
} from './queries.ts';

export type { WaitingSlip } from './queries.ts';

/** A slip that waits, with the row of the transfer that it names, if that was reported. */
export type ListedSlip = WaitingSlip & { transfer: IncomingTransfer | undefined };

/** Slips that wait for an operator, oldest first. */
export async function waitingSlips(on: Queryable): Promise<ListedSlip[]> {
  const list: ListedSlip[] = [];
  for (const slip of await selectWaiting(on)) {
    const { sendingBank, transRef } = slip;
    const isNamed = sendingBank !== null && transRef !== null;
    list.push({ ...slip, transfer: isNamed ? await findTransfer(on, { sendingBank, transRef }) : undefined });
  }
  return list;
}

/** What an operator can do with a slip that is MANUAL. */
export type SlipAction =
  /** It is of this transfer, and the transfer is its member's. */
  | { step: 'approve'; identity: TransferIdentity }
  | { step: 'refuse'; reason: SlipReason }
  /** It is read, or the bank asked about it, once more. */
  | { step: 'ask' };

/**
 * Why not. UNKNOWN_REFERENCE · NOT_THIS_STATE: see `state` · DECIDED: before, `by` an operator · OTHER_TRANSFER: its code names
 * another one · NO_TRANSFER: that one has not been reported yet · TAKEN: it is credited, or a gateway's · CURRENCY: the member's
 * wallet has another
 */
export type SlipRefusal =
  | 'UNKNOWN_REFERENCE'
  | 'NOT_THIS_STATE'
  | 'DECIDED'
  | 'OTHER_TRANSFER'
  | 'NO_TRANSFER'
  | 'TAKEN'
  | 'CURRENCY';
export type SlipActionResult =
  | { outcome: 'done' }
  | { outcome: 'refused'; why: SlipRefusal; state: string | null; by: string | null };

/**
 * Does what an operator wants with one slip, and writes down who did it and why. An approval takes the transfer for the
 * slip's member by the same conditional update as every credit: of two operators, or of one and the matching,
 * one has it. The worker of a running server follows within a second.
 */
export function operateSlip(
  database: Database,
  reference: string,
  step: SlipAction,
  signature: Signature,
): Promise<SlipActionResult> {
  return database.tx(async (tx) => {
    const slip = await lockSlip(tx, reference);
    if (!slip) return { outcome: 'refused', why: 'UNKNOWN_REFERENCE', state: null, by: null };
    const why = hindranceOf(slip) ?? (await take(tx, slip, step, signature));
    if (why) return { outcome: 'refused', why, state: slip.state, by: slip.decidedBy };
    await logOperator(tx, signature, { what: `slips ${wordsOf(step)}`, subject: reference });
    return { outcome: 'done' };
  });
}

function hindranceOf({ state, decidedBy }: LockedSlip): SlipRefusal | undefined {
  if (decidedBy !== null) return 'DECIDED';
  return state === 'MANUAL' ? undefined : 'NOT_THIS_STATE';
}

async function take(
  tx: Tx,
  slip: LockedSlip,
  step: SlipAction,
  signature: Signature,
): Promise<SlipRefusal | undefined> {
  switch (step.step) {
    case 'approve':
      return approve(tx, slip, step.identity, signature);
    case 'refuse':
      await saveRefusal(tx, slip.id, step.reason, operatorName(signature));
      return undefined;
    case 'ask': {
      // Its file is released when it has been read.
      const next = slip.uploadKey === null ? 'READ' : 'RECEIVED';
      assertTransition(slipTransitions, slip.state, next);
      await saveRetry(tx, slip.id, next);
      return undefined;
    }
  }
}

async function approve(
  tx: Tx,
  slip: LockedSlip,
  identity: TransferIdentity,
  signature: Signature,
): Promise<SlipRefusal | undefined> {
  const { sendingBank, transRef } = identity;
  if (slip.transRef !== null && (slip.transRef !== transRef || slip.sendingBank !== sendingBank))
    return 'OTHER_TRANSFER';
  const known = await findTransfer(tx, identity);
  if (!known) return 'NO_TRANSFER';
  if (known.currency !== slip.currency) return 'CURRENCY';
  const claimed = await claimForOperator(tx, known.id, slip.memberId, signature);
  if (!claimed) return 'TAKEN';
  await saveApproval(tx, slip.id, claimed, operatorName(signature));
  return undefined;
}

function wordsOf(step: SlipAction): string {
  if (step.step === 'approve') return `approve ${step.identity.sendingBank} ${step.identity.transRef}`;
  return step.step === 'refuse' ? `refuse ${step.reason}` : step.step;
}
