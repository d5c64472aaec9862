import type { ResolverKind } from '../../../settlement/resolver.ts';
import { type BankTransferDeps, LEASE_MS } from './bank-transfer-deps.ts';
import { expireNotices } from './notice-queries.ts';
import { claimWork } from './queries.ts';
import { settleArrival } from './settle-arrival.ts';

const AT_ONCE = 16;

/**
 * Finishes what is due: transfers that a feed has told of, credits and suspense that a crash left half done, and notices
 * whose time is over.
 */
export const arrivalKind = (deps: BankTransferDeps): ResolverKind<{ id: string }> => ({
  name: 'settle transfers that came',
  atOnce: AT_ONCE,
  claim: async (limit) => {
    await expireNotices(deps.database);
    return claimWork(deps.database, limit, LEASE_MS);
  },
  advance: ({ id }) => settleArrival(deps, id),
  log: deps.log,
  failure: 'a transfer could not be settled',
  subject: ({ id }) => ({ arrival: id }),
});
