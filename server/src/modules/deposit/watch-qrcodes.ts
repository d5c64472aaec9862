import { type Job, startJob } from '../../platform/job.ts';
import type { DepositDeps } from './deposit-deps.ts';
import type { Qrcode } from './qrcode.ts';
import { claimDue } from './queries.ts';
import { settleQrcode } from './settle-qrcode.ts';

const TURN_MS = 1_000;
const AT_ONCE = 8;
/** Beyond the longest call, so that no other node takes a code that is being asked about. */
const LEASE_MARGIN_MS = 10_000;

/**
 * Asks gateways about the codes that are due: each at its time, and at once when a callback came (`wake`). Rows say what
 * is due, so that a restart loses nothing and several nodes share the work. `stop` ends after the inquiries that are
 * under way.
 */
export function watchQrcodes(deps: DepositDeps): Job {
  const leaseMs = Math.max(0, ...deps.gateways.map((gateway) => gateway.patienceMs)) + LEASE_MARGIN_MS;
  const underWay = new Set<Promise<void>>();
  const job = startJob({
    name: 'watch QR codes',
    everyMs: TURN_MS,
    log: deps.log,
    run: async () => {
      const room = AT_ONCE - underWay.size;
      const due = room > 0 ? await claimDue(deps.database, room, leaseMs) : [];
      for (const code of due) {
        const work = settle(deps, code).finally(() => {
          underWay.delete(work);
          // A place is free again: what was left over needn't wait for the next turn.
          if (due.length === room) job.wake();
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
async function settle(deps: DepositDeps, code: Qrcode): Promise<void> {
  try {
    await settleQrcode(deps, code);
  } catch (error) {
    deps.log.error({ err: error, reference: code.reference }, 'a QR could not be settled');
  }
}
