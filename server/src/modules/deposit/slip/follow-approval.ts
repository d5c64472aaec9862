import { markCredited } from './queries.ts';
import type { Slip } from './slip.ts';
import type { SlipDeps } from './slip-deps.ts';

/**
 * Ends a slip that an operator has approved: the transfer is its member's since then, and is in the ledger before the slip
 * says so. May be repeated after a crash at any point.
 */
export async function followApproval({ bankTransfer, database, log }: SlipDeps, slip: Slip): Promise<void> {
  const { id, reference, memberId, sendingBank, transRef, decidedBy } = slip;
  if (decidedBy === null || sendingBank === null || transRef === null)
    throw new Error(`${reference} was never approved`);
  const { outcome } = await bankTransfer.creditArrival({
    identity: { sendingBank, transRef },
    memberId,
    via: decidedBy,
  });
  if (outcome !== 'ALREADY_THIS_MEMBER')
    throw new Error(`the transfer of ${reference} is not its member's: ${outcome}`);
  await markCredited(database, id);
  log.info({ reference, by: decidedBy }, 'slip credited');
}
