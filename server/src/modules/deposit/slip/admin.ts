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

/** A slip that waits for an operator, and its transfer if that was reported. */
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

/** Operator commands for a MANUAL slip. */
export type SlipAction =
  /** Assigns this transfer to the slip's member. */
  | { step: 'approve'; identity: TransferIdentity }
  | { step: 'refuse'; reason: SlipReason }
  /** Reads the slip again, or looks up its transfer again. */
  | { step: 'ask' };

/**
 * Why a command was refused. NOT_THIS_STATE: see `state` · DECIDED: earlier, see `by` · OTHER_TRANSFER: the code on the
 * slip names another one · NO_TRANSFER: it was not reported · TAKEN: it is credited, or a gateway's · CURRENCY: the
 * wallet has another one
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
 * Executes an operator's command on a slip and logs it. An approval assigns the transfer by the same conditional update
 * as every credit, so concurrent operators and the matching exclude each other. A running server continues within a
 * second.
 */
export function operateSlip(
  database: Database,
  reference: string,
  action: SlipAction,
  signature: Signature,
): Promise<SlipActionResult> {
  return database.tx(async (tx) => {
    const slip = await lockSlip(tx, reference);
    if (!slip) return { outcome: 'refused', why: 'UNKNOWN_REFERENCE', state: null, by: null };
    const why = refusalFor(slip) ?? (await execute(tx, slip, action, signature));
    if (why) return { outcome: 'refused', why, state: slip.state, by: slip.decidedBy };
    await logOperator(tx, signature, { what: `slips ${describe(action)}`, subject: reference });
    return { outcome: 'done' };
  });
}

function refusalFor({ state, decidedBy }: LockedSlip): SlipRefusal | undefined {
  if (decidedBy !== null) return 'DECIDED';
  return state === 'MANUAL' ? undefined : 'NOT_THIS_STATE';
}

async function execute(
  tx: Tx,
  slip: LockedSlip,
  action: SlipAction,
  signature: Signature,
): Promise<SlipRefusal | undefined> {
  switch (action.step) {
    case 'approve':
      return approve(tx, slip, action.identity, signature);
    case 'refuse':
      await saveRefusal(tx, slip.id, action.reason, operatorName(signature));
      return undefined;
    case 'ask': {
      // The uploaded file is deleted once it has been read.
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

function describe(action: SlipAction): string {
  if (action.step === 'approve') return `approve ${action.identity.sendingBank} ${action.identity.transRef}`;
  return action.step === 'refuse' ? `refuse ${action.reason}` : action.step;
}
