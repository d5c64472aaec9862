import { type Job, startJob } from '../../platform/job.ts';
import { type ArrivalDeps, LEASE_MS } from './arrival-deps.ts';
import { expireNotices } from './notice-queries.ts';
import { claimWork } from './queries.ts';
import { settleArrival } from './settle-arrival.ts';

const TURN_MS = 1_000;
const AT_ONCE = 16;

/**
 * Finishes what is due: transfers that a feed has told of, credits and suspense that a crash left half done, and notices
 * whose time is over. Rows say what is due, so that a restart loses nothing and several nodes share the work.
 */
export function workArrivals(deps: ArrivalDeps): Job {
  const job = startJob({
    name: 'settle transfers that came',
    everyMs: TURN_MS,
    log: deps.log,
    run: async () => {
      await expireNotices(deps.database);
      const due = await claimWork(deps.database, AT_ONCE, LEASE_MS);
      await Promise.all(due.map(({ id }) => settle(deps, id)));
      if (due.length === AT_ONCE) job.wake();
    },
  });
  return job;
}

// The row stays as it was claimed, and falls due again when the lease is over.
async function settle(deps: ArrivalDeps, id: string): Promise<void> {
  try {
    await settleArrival(deps, id);
  } catch (error) {
    deps.log.error({ err: error, arrival: id }, 'a transfer could not be settled');
  }
}
