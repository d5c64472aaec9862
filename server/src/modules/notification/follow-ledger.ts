import type { CashOutcome } from '../../ledger/index.ts';
import type { Notice, NotificationDeps } from './notification.ts';
import { addNotices, lockCursor, moveCursor, selectCursors } from './queries.ts';

/** A batch has up to 1,024 operations. */
const BATCHES_PER_READ = 50;
/** Other ids are accounts without a member. */
const MEMBER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type FollowDeps = Pick<NotificationDeps, 'database' | 'ledger' | 'clock'>;

/**
 * Adds the notices of all batches since the stored position of each lane. The position moves in the same transaction,
 * and one process at a time follows a lane.
 */
export async function followLedger(deps: FollowDeps, signal: AbortSignal): Promise<void> {
  const [lastBatches, cursors] = await Promise.all([deps.ledger.lastBatches(), selectCursors(deps.database)]);
  for (const [lane, lastBatch] of lastBatches) {
    let hasMore = lastBatch > (cursors.get(lane) ?? 0n);
    while (hasMore && !signal.aborted) hasMore = await followLane(deps, lane);
  }
}

/** @returns whether the lane may have more batches for this process */
async function followLane({ database, ledger, clock }: FollowDeps, lane: number): Promise<boolean> {
  return database.tx(async (tx) => {
    const cursor = await lockCursor(tx, lane);
    if (cursor === undefined) return false;
    const { outcomes, lastBatch, batches } = await ledger.cashOutcomesAfter(lane, cursor, BATCHES_PER_READ, tx);
    if (lastBatch === undefined) return false;
    await addNotices(tx, outcomes.filter(({ memberId }) => MEMBER_ID.test(memberId)).map(toNotice), clock.now());
    await moveCursor(tx, lane, lastBatch);
    return batches === BATCHES_PER_READ;
  });
}

function toNotice({ operationId, memberId, kind, state, reference, amount, currency, at }: CashOutcome): Notice {
  const facts = { amount: String(amount), currency };
  // Banks reuse their references, so a deposit is named by its row in the statement.
  if (kind === 'deposit') return { memberId, kind: 'money-in', reference: `line-${operationId}`, at, facts };
  if (state === 'SUCCESS') return { memberId, kind: 'paid-out', reference, at, facts };
  return { memberId, kind: 'refused', reference, at, facts: { ...facts, subject: 'withdraw' } };
}
