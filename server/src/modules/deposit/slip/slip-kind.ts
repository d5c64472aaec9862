import { failedWork } from '../../../platform/jobs/failed-work.ts';
import type { ResolverKind } from '../../../settlement/resolver.ts';
import { followApproval } from './follow-approval.ts';
import { StorageUnavailable } from '../../../platform/storage/port.ts';
import { claimDue, slipWork } from './queries.ts';
import { readSlip } from './read-slip.ts';
import { settleSlip } from './settle-slip.ts';
import type { Slip } from './slip.ts';
import type { SlipDeps } from './slip-deps.ts';

const AT_ONCE = 4;

/**
 * Works on the slips that are due: reads them, then asks the bank; ends those that an operator has approved.
 * @param readingMs longest that one reading can take, the wait for a reader included
 */
export function slipKind(deps: SlipDeps, readingMs: number): ResolverKind<Slip> {
  const leaseMs = readingMs + 2 * deps.bank.patienceMs + 10_000;
  return {
    name: 'work on slips',
    atOnce: AT_ONCE,
    claim: async (limit) => claimDue(deps.database, limit, leaseMs, await folderOf(deps)),
    advance: (slip) => {
      if (slip.state === 'MANUAL') return followApproval(deps, slip);
      return slip.state === 'RECEIVED' ? readSlip(deps, slip) : settleSlip(deps, slip);
    },
    failed: failedWork(deps.database, slipWork),
    keyOf: ({ id }) => id,
    // What was read is asked about at once.
    isFollowed: ({ state }) => state === 'RECEIVED',
    log: deps.log,
    failure: 'a slip could not be worked on',
    subject: ({ reference }) => ({ reference }),
  };
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
