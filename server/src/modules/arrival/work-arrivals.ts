import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type ArrivalDeps, LEASE_MS } from './arrival-deps.ts';
import { expireNotices } from './notice-queries.ts';
import { claimWork } from './queries.ts';
import { settleArrival } from './settle-arrival.ts';

const AT_ONCE = 16;

/**
 * Finishes what is due: transfers that a feed has told of, credits and suspense that a crash left half done, and notices
 * whose time is over.
 */
export function workArrivals(deps: ArrivalDeps): Job {
  return startDueWork({
    name: 'settle transfers that came',
    atOnce: AT_ONCE,
    claim: async (limit) => {
      await expireNotices(deps.database);
      return claimWork(deps.database, limit, LEASE_MS);
    },
    handle: ({ id }) => settleArrival(deps, id),
    log: deps.log,
    failure: ({ id }) => ({ fields: { arrival: id }, message: 'a transfer could not be settled' }),
  });
}
