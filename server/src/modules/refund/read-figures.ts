import type { Period } from '../../ledger/module.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type Figures, paidInOf } from './refund.ts';
import type { RefundDeps } from './refund-deps.ts';

/** Later than everything in the ledger, whose clock may be ahead of ours. */
const EVER = new Date('9999-12-31T00:00:00Z');

/**
 * What the ledger says of a member's period. What came back from games since is no loss: a stake that was open at the end
 * of the period looks like one until then. Nor was paid in what was withdrawn since, out of no later deposit. One after the
 * other: `on` may be a transaction.
 */
export async function readFigures(
  { ledger }: Pick<RefundDeps, 'ledger'>,
  on: Queryable,
  memberId: string,
  period: Period,
): Promise<Figures> {
  const since = { from: period.from, until: EVER };
  const [sums, sumsSince] = [
    await ledger.walletSums(memberId, period, on),
    await ledger.walletSums(memberId, since, on),
  ];
  const [play, playSince] = [
    await ledger.playBetween(memberId, period, on),
    await ledger.playBetween(memberId, since, on),
  ];
  return {
    sums: paidInOf(sumsSince) < paidInOf(sums) ? sumsSince : sums,
    play: playSince > play ? playSince : play,
  };
}
