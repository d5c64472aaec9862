import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { claimDue, lineOf } from './queries.ts';
import { resolveLeg } from './resolve-leg.ts';
import type { Leg } from './transfer.ts';
import { leaseMs, longestMs, type TransferWork } from './transfer-work.ts';

/** Legs of one provider at the same moment, and of those that need nobody's answer. */
const AT_ONCE = 4;

/**
 * The resolver: finishes every transfer that its request has left behind, because the provider didn't tell, because the
 * process died, or because an operator has found out. A provider that hangs takes no places but its own.
 */
export function watchTransfers(work: TransferWork): Job {
  const taken = new Map<string, number>();
  const take = (line: string, places: number): unknown => taken.set(line, (taken.get(line) ?? 0) + places);
  const handle = async (leg: Leg): Promise<void> => {
    const line = lineOf(leg);
    take(line, 1);
    try {
      await resolveLeg(work, leg);
    } finally {
      take(line, -1);
    }
  };
  return startDueWork({
    name: 'resolve transfers',
    atOnce: AT_ONCE * (work.providers.size + 1),
    claim: (limit) => claimDue(work.database, limit, leaseMs(longestMs(work)), { ofEach: AT_ONCE, taken }),
    handle,
    // A place in its line is free.
    isFollowed: () => true,
    log: work.log,
    failure: ({ providerReference }) => ({
      fields: { reference: providerReference },
      message: 'a transfer could not be resolved',
    }),
  });
}
