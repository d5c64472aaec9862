import { type Job, startJob } from '../../platform/job.ts';
import { claimDue } from './queries.ts';
import { resolveLeg } from './resolve-leg.ts';
import type { Leg } from './transfer.ts';
import { leaseMs, type TransferWork } from './transfer-work.ts';

const TURN_MS = 1_000;
const AT_ONCE = 8;

/**
 * The resolver: finishes every transfer that its request has left behind, because the provider didn't tell or because the
 * process died. Rows say what is due, so that a restart loses nothing and several nodes share the work.
 */
export function watchTransfers(work: TransferWork): Job {
  const longestMs = Math.max(0, ...[...work.providers.values()].map(({ timeoutMs }) => timeoutMs));
  const underWay = new Set<Promise<void>>();
  const job = startJob({
    name: 'resolve transfers',
    everyMs: TURN_MS,
    log: work.log,
    run: async () => {
      const room = AT_ONCE - underWay.size;
      const due = room > 0 ? await claimDue(work.database, room, leaseMs(longestMs)) : [];
      for (const leg of due) {
        const resolving = resolve(work, leg).finally(() => {
          underWay.delete(resolving);
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
async function resolve(work: TransferWork, leg: Leg): Promise<void> {
  try {
    await resolveLeg(work, leg);
  } catch (error) {
    work.log.error({ err: error, reference: leg.providerReference }, 'a transfer could not be resolved');
  }
}
