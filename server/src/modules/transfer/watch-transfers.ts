import { startDueWork } from '../../platform/due-work.ts';
import type { Job } from '../../platform/job.ts';
import { claimDue } from './queries.ts';
import { resolveLeg } from './resolve-leg.ts';
import { leaseMs, type TransferWork } from './transfer-work.ts';

const AT_ONCE = 8;

/**
 * The resolver: finishes every transfer that its request has left behind, because the provider didn't tell, because the
 * process died, or because an operator has found out.
 */
export function watchTransfers(work: TransferWork): Job {
  const longestMs = Math.max(0, ...[...work.providers.values()].map(({ timeoutMs }) => timeoutMs));
  return startDueWork({
    name: 'resolve transfers',
    atOnce: AT_ONCE,
    claim: (limit) => claimDue(work.database, limit, leaseMs(longestMs)),
    handle: (leg) => resolveLeg(work, leg),
    log: work.log,
    failure: ({ providerReference }) => ({
      fields: { reference: providerReference },
      message: 'a transfer could not be resolved',
    }),
  });
}
