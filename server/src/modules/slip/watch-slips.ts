import { type Job, startJob } from '../../platform/job.ts';
import { claimDue } from './queries.ts';
import { readSlip } from './read-slip.ts';
import { settleSlip } from './settle-slip.ts';
import type { Slip } from './slip.ts';
import type { SlipDeps } from './slip-deps.ts';

const TURN_MS = 1_000;
const AT_ONCE = 4;

/**
 * Works on the slips that are due: reads them, then asks the bank. Rows say what is due, so that a restart loses nothing
 * and several nodes share the work. `stop` ends after what is under way.
 * @param readingMs longest that one reading can take, the wait for a reader included
 */
export function watchSlips(deps: SlipDeps, readingMs: number): Job {
  const leaseMs = readingMs + 2 * deps.lookup.patienceMs + 10_000;
  const underWay = new Set<Promise<void>>();
  const job = startJob({
    name: 'work on slips',
    everyMs: TURN_MS,
    log: deps.log,
    run: async () => {
      const room = AT_ONCE - underWay.size;
      const due = room > 0 ? await claimDue(deps.database, room, leaseMs) : [];
      for (const slip of due) {
        const work = workOn(deps, slip).finally(() => {
          underWay.delete(work);
          // What was read is asked about at once; and what was left over needn't wait for the next turn.
          if (slip.state === 'RECEIVED' || due.length === room) job.wake();
        });
        underWay.add(work);
      }
    },
  });
  return {
    wake: () => job.wake(),
    stop: async () => {
      await job.stop();
      await Promise.all(underWay);
    },
  };
}

// A failure here leaves the row as it was claimed: it falls due again when the lease is over.
async function workOn(deps: SlipDeps, slip: Slip): Promise<void> {
  try {
    await (slip.state === 'RECEIVED' ? readSlip(deps, slip) : settleSlip(deps, slip));
  } catch (error) {
    deps.log.error({ err: error, reference: slip.reference }, 'a slip could not be worked on');
  }
}
