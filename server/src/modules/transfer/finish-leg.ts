import type { Tx } from '../../platform/database/database.ts';
import { postMoney, undoHold, voidMoney } from './leg-operations.ts';
import { lockSecondLeg, markFinished, markUnknown, renewLease } from './queries.ts';
import { type Leg, RESTS_IN_WALLET, type Reversal } from './transfer.ts';
import { leaseMs, type TransferWork } from './transfer-work.ts';

/** Who finishes: the member's own request goes on with the second leg, the resolver never starts a movement. */
export type Finisher = 'member' | 'resolver';

const FAILED: Reversal = { code: 'TRANSFER_FAIL' };

/**
 * The ledger follows a proof, then the row says so. Done again after a crash, each step finds itself done.
 * @returns the leg as it ended; undefined when another process ended it
 */
export async function followProof(work: TransferWork, leg: Leg, by: Finisher): Promise<Leg | undefined> {
  const actor = leg.proofBy ?? by;
  if (leg.proof === 'APPLIED') {
    await postMoney(work.ledger, leg, actor);
    return finish(work, leg, 'DONE', null, by);
  }
  await voidMoney(work.ledger, leg, actor);
  return finish(work, leg, 'REVERSED', FAILED, by);
}

/** Ends a leg whose call never went out. `holds`: whether its money may be held. Returns what {@link followProof} does. */
export async function giveUp(
  work: TransferWork,
  leg: Leg,
  { reversal, holds, by }: { reversal: Reversal; holds: boolean; by: Finisher },
): Promise<Leg | undefined> {
  if (holds) await undoHold(work.ledger, leg, by);
  return finish(work, leg, 'REVERSED', reversal, by);
}

/**
 * SENT → UNKNOWN. Nobody goes on with a second leg from then on: it ends at once, so that it keeps neither its game account
 * nor withdrawals waiting for as long as the first is open.
 * @param keep for the resolver that goes on with this one at once
 * @returns whether the leg was still ours
 */
export function leaveUnknown(work: TransferWork, leg: Leg, note: string, keep: boolean): Promise<boolean> {
  return work.database.tx(async (tx) => {
    if (!(await markUnknown(tx, leg, note, keep))) return false;
    const second = leg.leg === 1 ? await lockSecondLeg(tx, leg.transferId) : undefined;
    if (second) await dropSecond(work, tx, second);
    return true;
  });
}

function finish(
  work: TransferWork,
  leg: Leg,
  to: 'DONE' | 'REVERSED',
  reversal: Reversal | null,
  by: Finisher,
): Promise<Leg | undefined> {
  return work.database.tx(async (tx) => {
    const finished = await markFinished(tx, leg, to, reversal);
    if (!finished) return undefined;
    // Found out later it is what lay there right after the transfer: the member may have played since.
    const isTold = by === 'member' && leg.proofBalance !== null;
    await work.game.free(tx, leg, leg.reference, isTold);
    if (leg.leg === 1) await finishSecond(work, tx, leg, to, by);
    return finished;
  });
}

// What follows the first leg: nothing more, when it came to nothing or when nobody waits for it any longer.
async function finishSecond(
  work: TransferWork,
  tx: Tx,
  first: Leg,
  to: 'DONE' | 'REVERSED',
  by: Finisher,
): Promise<void> {
  const second = await lockSecondLeg(tx, first.transferId);
  if (!second) return;
  if (to === 'DONE' && by === 'member') {
    const timeoutMs = work.providers.get(second.provider)?.timeoutMs ?? 0;
    return renewLease(tx, second, leaseMs(timeoutMs));
  }
  await dropSecond(work, tx, second);
}

async function dropSecond(work: TransferWork, tx: Tx, second: Leg): Promise<void> {
  await markFinished(tx, second, 'REVERSED', { code: 'TRANSFER_FAIL', detail: RESTS_IN_WALLET });
  await work.game.free(tx, second, second.reference, false);
}
