import type { FastifyInstance } from 'fastify';
import type { IncentiveModule } from '../incentive/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { monotonicMs } from '../../platform/time.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { createResolver, SEND_WITHIN_MS } from '../../platform/jobs/resolver.ts';
import { claimDueWithdrawals, hasOpenWithdrawal, selectOutcomes, withdrawWork } from './queries.ts';
import { resolveWithdrawal } from './resolve-withdrawal.ts';
import { withdrawRoutes, withdrawWebhook } from './http.ts';
import { callLeaseMs, sweepLeaseMs, type WithdrawDeps } from './withdraw.ts';

export { withdrawQueue } from './queries.ts';

export { decidePayout, openPayouts, type OpenWithdrawal } from './admin.ts';
export { heldWithdrawal } from './queries.ts';

export type WithdrawModule = {
  /** What the statement tells of withdrawals besides the ledger's lines, by reference. */
  outcomesOf(
    memberId: string,
    references: readonly string[],
    on?: Queryable,
  ): Promise<ReadonlyMap<string, { reason: string | null; bankCode: string }>>;
  /** Starts paying out what is due. Once, when the database is there. */
  start(): void;
  /** Ends after what is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

/** Payouts that are carried out or asked about at the same moment. */
const AT_ONCE = 8;

export type WithdrawModuleDeps = Omit<WithdrawDeps, 'wakeResolver'> & {
  app: FastifyInstance;
  incentive: Pick<IncentiveModule, 'registerWithdrawals'>;
};

/** Paying money out to the member's registered bank account: the calls, the bank's callback, and the resolver. */
export function withdrawModule({ app, ...given }: WithdrawModuleDeps): WithdrawModule {
  const resolver = createResolver();
  const work: WithdrawDeps = { ...given, wakeResolver: resolver.wake };
  given.incentive.registerWithdrawals(hasOpenWithdrawal);
  withdrawRoutes(app, work);
  withdrawWebhook(app, work);
  return {
    outcomesOf: async (memberId, references, on = work.database) => {
      const outcomes = await selectOutcomes(on, memberId, references);
      return new Map(outcomes.map(({ reference, reason, bankCode }) => [reference, { reason, bankCode }]));
    },
    start: () => {
      const leaseMs = Math.max(callLeaseMs(work), sweepLeaseMs(work));
      resolver.start({
        name: 'pay out',
        atOnce: AT_ONCE,
        claim: async (limit) => {
          const sendUntilMs = monotonicMs() + SEND_WITHIN_MS;
          return (await claimDueWithdrawals(work.database, limit, leaseMs)).map((row) => ({ ...row, sendUntilMs }));
        },
        advance: (withdrawal) => resolveWithdrawal(work, withdrawal),
        failed: failedWork(work.database, withdrawWork),
        keyOf: ({ id }) => id,
        log: work.log,
        failure: 'a withdrawal could not be resolved',
        subject: ({ reference }) => ({ reference }),
      });
    },
    stop: resolver.stop,
  };
}
