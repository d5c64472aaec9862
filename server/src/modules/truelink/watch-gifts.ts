import { type Job, startJob } from '../../platform/job.ts';
import type { GiftRedeemer } from '../../providers/wallet-app/port.ts';
import { advanceGift } from './advance-gift.ts';
import type { Gift } from './gift.ts';
import { type GiftDeps, leaseMs } from './gift-deps.ts';
import { claimDue } from './queries.ts';

const TURN_MS = 1_000;
const AT_ONCE = 4;

/** The resolver: goes on with every link that its request has left behind. Rows say what is due. */
export function watchGifts(deps: GiftDeps, redeemer: GiftRedeemer): Job {
  return startJob({
    name: 'resolve gift links',
    everyMs: TURN_MS,
    log: deps.log,
    run: async () => {
      const due = await claimDue(deps.database, AT_ONCE, leaseMs(redeemer));
      await Promise.all(due.map((gift) => advance(deps, redeemer, gift)));
    },
  });
}

// The row stays as it was claimed, and falls due again when the lease is over.
async function advance(deps: GiftDeps, redeemer: GiftRedeemer, gift: Gift): Promise<void> {
  try {
    await advanceGift(deps, redeemer, gift);
  } catch (error) {
    deps.log.error({ err: error, reference: gift.reference }, 'a gift could not be settled');
  }
}
