import { holdMoney } from './money.ts';
import { markHeld, markRefused, saveNotBrought } from './queries.ts';
import type { Withdrawal } from './withdraw.ts';
import type { WithdrawWork } from './withdraw-work.ts';

/** Detail of a withdrawal that is refused while money may lie in games that could not be reached. */
export const GAMES_NOT_BROUGHT = 'GAMES_NOT_BROUGHT';

/**
 * Brings the games' money home where that is wanted, and holds the amount; or ends the withdrawal with the refusal that the
 * member is told. What came home stays in the wallet then. Each step finds itself done when it is repeated after a crash,
 * so that the resolver finishes by this what a request has left behind.
 */
export async function prepareWithdrawal(work: WithdrawWork, withdrawal: Withdrawal): Promise<void> {
  const { database, ledger } = work;
  let { notBrought } = withdrawal;
  if (withdrawal.isAll && notBrought === null) {
    const { memberId: id, currency, reference } = withdrawal;
    notBrought = await work.transfer.sweepToWallet({ id, currency }, reference);
    if (!(await saveNotBrought(database, withdrawal, notBrought))) return;
  }
  if ((await holdMoney(ledger, withdrawal)) === 'held') {
    if (await markHeld(database, withdrawal)) work.wakeResolver();
    return;
  }
  const isLeftBehind = notBrought !== null && notBrought.length > 0;
  await markRefused(
    database,
    withdrawal,
    isLeftBehind ? { code: 'TRANSFER_FAIL', detail: GAMES_NOT_BROUGHT } : { code: 'MONEY_NOT_ENOUGH' },
  );
}
