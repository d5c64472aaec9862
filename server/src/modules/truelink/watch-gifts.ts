import { startDueWork } from '../../platform/jobs/due-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { GiftRedeemer } from '../../counterparties/wallet-app/port.ts';
import { advanceGift } from './advance-gift.ts';
import { type GiftDeps, leaseMs } from './gift-deps.ts';
import { claimDue } from './queries.ts';

const AT_ONCE = 4;

/** The resolver: goes on with every link that its request has left behind. */
export function watchGifts(deps: GiftDeps, redeemer: GiftRedeemer): Job {
  return startDueWork({
    name: 'resolve gift links',
    atOnce: AT_ONCE,
    claim: (limit) => claimDue(deps.database, limit, leaseMs(redeemer)),
    handle: (gift) => advanceGift(deps, redeemer, gift),
    log: deps.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a gift could not be settled' }),
  });
}
