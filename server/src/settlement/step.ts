import { sleep } from '../platform/clock.ts';
import type { StepReply } from '../ledger/module.ts';

/** Letter of a step whose rows another transaction was changing: nothing was written. */
const LOCKED = 'w';
const PAUSES_MS = [5, 10, 20, 50, 100, 200, 400, 800, 1_500, 2_000];

/** Letter of a step that this very call wrote. */
const ADMITTED = 'o';

/**
 * Posts a step, and again where a row of it is locked: a lane never waits for a row, because all members would wait with it.
 * @returns the last reply; its letter is `w` when the row stayed locked for five seconds. What an earlier call may have committed
 *   counts from that call.
 */
export async function retryLocked(post: () => Promise<StepReply>): Promise<StepReply> {
  let reply = await post();
  const { startedMs } = reply;
  for (const pauseMs of PAUSES_MS) {
    if (reply.letter !== LOCKED) break;
    await sleep(pauseMs);
    reply = await post();
  }
  return reply.letter === ADMITTED ? reply : { ...reply, startedMs };
}
