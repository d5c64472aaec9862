import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { setSettings } from '../harness/operator.ts';
import { depositToWallet, newPlayer, type PlayingMember, playGameRound } from '../harness/playing-member.ts';
import { DEFAULT_WHEEL_SETTING, moneyPrize, publishTestWheel, singlePrizeWheel } from '../spinwheel/wheel-fixtures.ts';
import {
  lastPeriodMiddle,
  moveHistoryTo,
  readRefundCheck,
  receiveRefund,
  type RefundSystem,
  setRefundSettings,
  startRefundSystem,
} from './refund-fixtures.ts';

let refundSystem: RefundSystem;
before(async () => {
  refundSystem = await startRefundSystem();
  await setRefundSettings(refundSystem);
  await setSettings(refundSystem.system, { spinwheel: DEFAULT_WHEEL_SETTING });
  await publishTestWheel(refundSystem.system, singlePrizeWheel(moneyPrize('20.00')));
});
after(() => refundSystem?.close());

const readCoins = async ({ token }: PlayingMember): Promise<number> =>
  (await refundSystem.system.api('GET /api/wallet', { token })).body.profile.coin;

/** Deposits 1,000 baht and stakes it in one round. */
async function playOnce(win: number): Promise<PlayingMember> {
  const { system, ledger } = refundSystem;
  const player = await newPlayer(system);
  await depositToWallet(system, ledger, player, 1_000);
  await playGameRound(system, player, { stake: 1_000, win });
  return player;
}

// No rule compares two accounts: docs/runbooks/refunds-and-invites.md states what this pair costs.
test('of opposite bets in two accounts the loser gets a refund with a condition, the winner none, and both get coins', async () => {
  const [loser, winner] = [await playOnce(0), await playOnce(1_990)];
  for (const player of [loser, winner]) assert.equal(await readCoins(player), 3);
  for (const { id } of [loser, winner])
    await moveHistoryTo(refundSystem, id, await lastPeriodMiddle(refundSystem, loser));
  const reply = await receiveRefund(refundSystem, loser);
  assert.deepEqual([reply.status, reply.body.refundAmount], [200, 50]);
  assert.equal((await readRefundCheck(refundSystem, loser)).condition?.target, 100);
  assertRefused(await receiveRefund(refundSystem, winner), 'NO_REFUND', 'NO_LOSS');
});
