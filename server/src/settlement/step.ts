import { sleep } from '../platform/clock.ts';
import type { StepReply } from '../ledger/module.ts';

/** Letter of a step whose rows another transaction was changing: nothing was written. */
const LOCKED = 'w';
const PAUSES_MS = [5, 10, 20, 50, 100, 200, 400, 800, 1_500, 2_000];

/**
 * Posts a step, and again where a row of it is locked: a lane never waits for a row, because all members would wait with it.
 * @returns the last reply; its letter is `w` when the row stayed locked for five seconds
 */
export async function retryLocked(post: () => Promise<StepReply>): Promise<StepReply> {
  for (const pauseMs of PAUSES_MS) {
    const reply = await post();
    if (reply.letter !== LOCKED) return reply;
    await sleep(pauseMs);
  }
  return post();
}
