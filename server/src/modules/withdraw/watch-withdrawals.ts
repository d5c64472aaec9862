import { type Job, startJob } from '../../platform/job.ts';
import { claimDue } from './queries.ts';
import { resolveWithdrawal } from './resolve-withdrawal.ts';
import type { Withdrawal } from './withdraw.ts';
import { callLeaseMs, preparationLeaseMs, type WithdrawWork } from './withdraw-work.ts';

const TURN_MS = 1_000;
const AT_ONCE = 8;

/**
 * Carries payouts out and follows them to their end. Rows say what is due, so that a restart loses nothing and several
 * nodes share the work. `stop` ends after the steps that are under way.
 */
export function watchWithdrawals(work: WithdrawWork): Job {
  const leaseMs = Math.max(callLeaseMs(work), preparationLeaseMs(work, true));
  const underWay = new Set<Promise<void>>();
  const job = startJob({
    name: 'pay out',
    everyMs: TURN_MS,
    log: work.log,
    run: async () => {
      const room = AT_ONCE - underWay.size;
      const due = room > 0 ? await claimDue(work.database, room, leaseMs) : [];
      for (const withdrawal of due) {
        const resolving = resolve(work, withdrawal).finally(() => {
          underWay.delete(resolving);
          // A place is free again: what was left over needn't wait for the next turn.
          if (due.length === room) job.wake();
        });
        underWay.add(resolving);
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

// The row stays as it was claimed, and falls due again when the lease is over.
async function resolve(work: WithdrawWork, withdrawal: Withdrawal): Promise<void> {
  try {
    await resolveWithdrawal(work, withdrawal);
  } catch (error) {
    work.log.error({ err: error, reference: withdrawal.reference }, 'a withdrawal could not be resolved');
  }
}
