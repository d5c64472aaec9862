import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../platform/database/database.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { createResolver, SEND_WITHIN_MS } from '../../platform/jobs/resolver.ts';
import { monotonicMs } from '../../platform/time.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import { withdrawRoutes, withdrawWebhook } from './http.ts';
import {
  claimDueWithdrawals,
  hasOpenWithdrawal,
  selectOutcomes,
  withdrawPartition,
  withdrawWorkTable,
} from './queries.ts';
import { resolveWithdrawal } from './resolve-withdrawal.ts';
import { callLeaseMs, sweepLeaseMs, type WithdrawDeps } from './withdraw.ts';

export { findWithdrawTimeline, pendingWithdrawals, selectWithdrawDurations } from './timeline-queries.ts';

export { usualPayouts } from './payout-speed.ts';

export { withdrawQueue, heldWithdrawal } from './queries.ts';

export {
  openPayouts,
  type OpenWithdrawal,
  operatePayout,
  type PayoutAction,
  type PayoutRefusal,
  type PayoutResult,
} from './admin.ts';

export type WithdrawModule = {
  /** Failure reason and bank of withdrawals by reference, for the statement. */
  payoutOutcomes(
    memberId: string,
    references: readonly string[],
    on?: Queryable,
  ): Promise<ReadonlyMap<string, { reason: string | null; bankCode: string }>>;
  /** Starts the resolver of payouts. Call once, after migration. */
  start(): void;
  /** Resolves when pending work is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

/** Concurrent withdrawals that wait for the bank, and that wait for the same game providers. */
const PAYOUT_CONCURRENCY = 8;

export type WithdrawModuleDeps = Omit<WithdrawDeps, 'wakeResolver'> & {
  app: FastifyInstance;
  incentive: Pick<IncentiveModule, 'registerWithdrawals'>;
};

/**
 * Creates the withdraw module: payouts to the member's registered bank account, with endpoints, the bank's callback and
 * the resolver.
 */
export function withdrawModule({ app, ...options }: WithdrawModuleDeps): WithdrawModule {
  const resolver = createResolver();
  const deps: WithdrawDeps = { ...options, wakeResolver: resolver.wake };
  options.incentive.registerWithdrawals(hasOpenWithdrawal);
  withdrawRoutes(app, deps);
  withdrawWebhook(app, deps);
  return {
    payoutOutcomes: async (memberId, references, on = deps.database) => {
      const outcomes = await selectOutcomes(on, memberId, references);
      return new Map(outcomes.map(({ reference, reason, bankCode }) => [reference, { reason, bankCode }]));
    },
    start: () => {
      const leaseMs = Math.max(callLeaseMs(deps), sweepLeaseMs(deps));
      resolver.start({
        name: 'pay out',
        concurrency: PAYOUT_CONCURRENCY,
        claim: async (share, inProgress) => {
          const sendUntilMs = monotonicMs() + SEND_WITHIN_MS;
          const claimed = await claimDueWithdrawals(deps.database, share, leaseMs, inProgress);
          return claimed.map((row) => ({ ...row, sendUntilMs }));
        },
        partitionsOf: (withdrawal) => [withdrawPartition(withdrawal)],
        handle: (withdrawal) => resolveWithdrawal(deps, withdrawal),
        failed: failedWork(deps.database, withdrawWorkTable),
        keyOf: ({ id }) => id,
        log: deps.log,
        failureMessage: 'resolving a withdrawal failed',
        logFields: ({ reference }) => ({ reference }),
      });
    },
    stop: resolver.stop,
  };
}
