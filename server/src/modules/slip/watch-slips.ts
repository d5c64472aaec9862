import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { followApproval } from './follow-approval.ts';
import { StorageUnavailable } from '../../platform/storage/port.ts';
import { claimDue } from './queries.ts';
import { readSlip } from './read-slip.ts';
import { settleSlip } from './settle-slip.ts';
import type { SlipDeps } from './slip-deps.ts';

const AT_ONCE = 4;

/**
 * Works on the slips that are due: reads them, then asks the bank; ends those that an operator has approved.
 * @param readingMs longest that one reading can take, the wait for a reader included
 */
export function watchSlips(deps: SlipDeps, readingMs: number): Job {
  const leaseMs = readingMs + 2 * deps.bank.patienceMs + 10_000;
  return startDueWork({
    name: 'work on slips',
    atOnce: AT_ONCE,
    claim: async (limit) => claimDue(deps.database, limit, leaseMs, await folderOf(deps)),
    handle: (slip) => {
      if (slip.state === 'MANUAL') return followApproval(deps, slip);
      return slip.state === 'RECEIVED' ? readSlip(deps, slip) : settleSlip(deps, slip);
    },
    log: deps.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a slip could not be worked on' }),
    // What was read is asked about at once.
    isFollowed: ({ state }) => state === 'RECEIVED',
  });
}

// Without its folder a server reads no slips, and goes on with those that are read.
async function folderOf({ storage }: SlipDeps): Promise<string | undefined> {
  try {
    return (await storage.folder())?.id;
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined;
    throw error;
  }
}
