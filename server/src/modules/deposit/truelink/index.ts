import type { FastifyInstance } from 'fastify';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import { advanceGift } from './advance-gift.ts';
import { type TruelinkDeps, leaseMs } from './gift.ts';
import { giftRoutes } from './http.ts';
import { claimDue, giftWork } from './queries.ts';

export { findGiftTimeline, pendingGifts, selectGiftDurations, selectGiftSpeeds } from './timeline-queries.ts';

export { giftQueue, sealedGifts, selectVouchers, walletAppNeeds } from './queries.ts';

export { retryGift, unresolvedGifts } from './admin.ts';

export type TruelinkModule = {
  /** Starts the resolver of unfinished gifts. Call once, after migration. */
  start(): void;
  /** Resolves when pending work is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

/** Concurrent gifts. */
const GIFT_CONCURRENCY = 4;

export type TruelinkModuleDeps = Omit<TruelinkDeps, 'wakeResolver'>;

/** Deposits by gift links of the wallet app: redeemed once, for the member who sent the link first. */
export function truelinkModule(app: FastifyInstance, moduleDeps: TruelinkModuleDeps): TruelinkModule {
  const resolver = createResolver();
  const deps: TruelinkDeps = { ...moduleDeps, wakeResolver: resolver.wake };
  giftRoutes(app, deps);
  return {
    start: () => {
      const { redeemer } = deps;
      if (!redeemer) return;
      resolver.start({
        name: 'resolve gift links',
        concurrency: GIFT_CONCURRENCY,
        claim: (limit) => claimDue(deps.database, limit, leaseMs(redeemer)),
        handle: (gift) => advanceGift(deps, redeemer, gift),
        failed: failedWork(deps.database, giftWork),
        keyOf: ({ id }) => id,
        log: deps.log,
        failureMessage: 'gift resolver failed',
        logFields: ({ reference }) => ({ reference }),
      });
    },
    stop: resolver.stop,
  };
}
