import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { claimDue } from './queries.ts';
import { resolveWithdrawal } from './resolve-withdrawal.ts';
import { callLeaseMs, preparationLeaseMs, type WithdrawWork } from './withdraw-work.ts';

const AT_ONCE = 8;

/** Carries payouts out and follows them to their end. */
export function watchWithdrawals(work: WithdrawWork): Job {
  const leaseMs = Math.max(callLeaseMs(work), preparationLeaseMs(work, true));
  return startDueWork({
    name: 'pay out',
    atOnce: AT_ONCE,
    claim: (limit) => claimDue(work.database, limit, leaseMs),
    handle: (withdrawal) => resolveWithdrawal(work, withdrawal),
    log: work.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a withdrawal could not be resolved' }),
  });
}
