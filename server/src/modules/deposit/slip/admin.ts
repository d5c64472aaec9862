import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { slipTransitions } from '@krapao/contract/states';
import type { Database, Queryable, Tx } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { assertTransition } from '../../../platform/state-machine.ts';
import { systemClock } from '../../../platform/time.ts';
import { addNotices } from '../../notification/index.ts';
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
  selectWaitingSlips,
  type LockedSlip,
  type WaitingSlip,
} from './queries.ts';
import { refusalNotice } from './slip.ts';

export type { WaitingSlip } from './queries.ts';

/** A slip that waits for an operator, and its transfer if a feed has reported one. */
export type ListedSlip = WaitingSlip & { transfer: IncomingTransfer | undefined };

/** Slips that wait for an operator, oldest first. */
export async function waitingSlips(db: Queryable): Promise<ListedSlip[]> {
  const listedSlips: ListedSlip[] = [];
  for (const slip of await selectWaitingSlips(db)) {
    const { sendingBank, transRef } = slip;
    const hasIdentity = sendingBank !== null && transRef !== null;
    listedSlips.push({
      ...slip,
      transfer: hasIdentity ? await findTransfer(db, { sendingBank, transRef }) : undefined,
    });
  }
  return listedSlips;
}

/** Operator commands for a MANUAL slip. */
export type SlipAction =
  /** Assigns this transfer to the slip's member. */
  | { command: 'approve'; identity: TransferIdentity }
  | { command: 'refuse'; reason: SlipReason }
  /** Reads the slip again, or looks up its transfer again. */
  | { command: 'inquire' };

/**
 * Reason for refusing a command. not_this_state: see `state` · decided: earlier, by the operator in `by` ·
 * other_transfer: the slip's code identifies another transfer · no_transfer: not reported · taken: credited, or a
 * gateway's · currency: differs from the wallet's
 */
export type SlipRefusal =
  | 'unknown_reference'
  | 'not_this_state'
  | 'decided'
  | 'other_transfer'
  | 'no_transfer'
  | 'taken'
  | 'currency';
export type SlipActionResult =
  | { outcome: 'done' }
  | { outcome: 'refused'; why: SlipRefusal; state: string | null; by: string | null };

/**
 * Executes an operator's command on a slip and logs it. An approval assigns the transfer by the same conditional update
 * as every credit, so concurrent operators and the matching exclude each other. A running server processes the slip
 * within a second.
 */
export function operateSlip(
  database: Database,
  reference: string,
  action: SlipAction,
  signature: Signature,
): Promise<SlipActionResult> {
  return database.tx(async (tx) => {
    const slip = await lockSlip(tx, reference);
    if (!slip) return { outcome: 'refused', why: 'unknown_reference', state: null, by: null };
    const refusal = checkDecidable(slip) ?? (await executeAction(tx, slip, action, signature));
    if (refusal) return { outcome: 'refused', why: refusal, state: slip.state, by: slip.decidedBy };
    await logOperator(tx, signature, { what: `slips ${describeAction(action)}`, subject: reference });
    return { outcome: 'done' };
  });
}

function checkDecidable({ state, decidedBy }: LockedSlip): SlipRefusal | undefined {
  if (decidedBy !== null) return 'decided';
  return state === 'MANUAL' ? undefined : 'not_this_state';
}

async function executeAction(
  tx: Tx,
  slip: LockedSlip,
  action: SlipAction,
  signature: Signature,
): Promise<SlipRefusal | undefined> {
  switch (action.command) {
    case 'approve':
      return approveSlip(tx, slip, action.identity, signature);
    case 'refuse':
      return refuseByOperator(tx, slip, action.reason, operatorName(signature));
    case 'inquire': {
      // The uploaded file is deleted once it has been read.
      const nextState = slip.uploadKey === null ? 'READ' : 'RECEIVED';
      assertTransition(slipTransitions, slip.state, nextState);
      await saveRetry(tx, slip.id, nextState);
      return undefined;
    }
  }
}

async function refuseByOperator(tx: Tx, slip: LockedSlip, reason: SlipReason, operator: string): Promise<undefined> {
  const now = systemClock.now();
  await saveRefusal(tx, slip.id, reason, operator);
  await addNotices(tx, [refusalNotice(slip, reason, now)], now);
}

async function approveSlip(
  tx: Tx,
  slip: LockedSlip,
  identity: TransferIdentity,
  signature: Signature,
): Promise<SlipRefusal | undefined> {
  const { sendingBank, transRef } = identity;
  if (slip.transRef !== null && (slip.transRef !== transRef || slip.sendingBank !== sendingBank))
    return 'other_transfer';
  const transfer = await findTransfer(tx, identity);
  if (!transfer) return 'no_transfer';
  if (transfer.currency !== slip.currency) return 'currency';
  const assignedTransfer = await claimForOperator(tx, transfer.id, slip.memberId, signature);
  if (!assignedTransfer) return 'taken';
  await saveApproval(tx, slip.id, assignedTransfer, operatorName(signature));
  return undefined;
}

function describeAction(action: SlipAction): string {
  if (action.command === 'approve') return `approve ${action.identity.sendingBank} ${action.identity.transRef}`;
  return action.command === 'refuse' ? `refuse ${action.reason}` : action.command;
}
