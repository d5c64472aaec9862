import * as endpoints from '@krapao/contract/endpoints/deposit/truelink';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../platform/http/route.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import { advanceGift } from './advance-gift.ts';
import { type TruelinkDeps, leaseMs } from './gift.ts';
import { claimDue, giftWork } from './queries.ts';
import { redeemGift } from './redeem-gift.ts';

export { giftQueue, sealedGifts } from './queries.ts';

export { selectVouchers } from './queries.ts';

export { retryGift, unresolvedGifts } from './admin.ts';
export type TruelinkModule = {
  /** Starts finishing what requests have left behind. Once, when the database is there. */
  start(): void;
  /** Ends after the work that is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

/** Links that are asked about at the same moment. */
const AT_ONCE = 4;

export type TruelinkModuleDeps = Omit<TruelinkDeps, 'wakeResolver'>;

/** Gift links of the wallet app: redeemed once, for the member who sent it first. */
export function truelinkModule(app: FastifyInstance, given: TruelinkModuleDeps): TruelinkModule {
  const resolver = createResolver();
  const deps: TruelinkDeps = { ...given, wakeResolver: resolver.wake };
  route(app, endpoints.redeemTruelink, async ({ body, member }) => {
    const receipt = await redeemGift(deps, member, body.link);
    const { reference } = receipt;
    if (receipt.status === 'PROCESSING') {
      return { status: 202, body: { message: 'PROCESSING', reference, status: 'PROCESSING' } };
    }
    return { status: 200, body: { reference, status: 'SUCCESS', amount: toWire(receipt.amount) } };
  });
  return {
    start: () => {
      const { redeemer } = deps;
      if (!redeemer) return;
      resolver.start({
        name: 'resolve gift links',
        atOnce: AT_ONCE,
        claim: (limit) => claimDue(deps.database, limit, leaseMs(redeemer)),
        advance: (gift) => advanceGift(deps, redeemer, gift),
        failed: failedWork(deps.database, giftWork),
        keyOf: ({ id }) => id,
        log: deps.log,
        failure: 'a gift could not be settled',
        subject: ({ reference }) => ({ reference }),
      });
    },
    stop: resolver.stop,
  };
}
