import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  assertBooksAgree,
  readProviderCredit,
  waitUntilResult,
  openGame,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';
import {
  findInconsistentCoinBalances,
  claimCoupon,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  spinWheel,
} from './wheel-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});

test('concurrent spins, claims, deposits, transfers and a withdrawal of one member create or lose no coin and no satang [R-SPIN-04] [R-XFER-04]', async () => {
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('7.00')));
  const member = await registerMember(system);
  const { token } = member;
  const { username } = await openGame(system, token, 'pg');
  await fundWallet(ledger, member.id, '1500.00');
  const spinAndClaim = async (): Promise<number> => {
    const { body } = await spinWheel(system, member);
    if (!body.success) return 0;
    const claimReplies = await Promise.all([
      claimCoupon(system, member, body.result.spinId),
      claimCoupon(system, member, body.result.spinId),
    ]);
    return claimReplies.filter((claimReply) => claimReply.body.success).length;
  };
  const pendingWithdrawal = withdraw(system, member, 200);
  const [paidClaims] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, spinAndClaim)),
    ...Array.from({ length: 5 }, () => transfer(system, token, { from: 'WALLET', to: 'pg', amount: 50 })),
    ...Array.from({ length: 3 }, () => fundWallet(ledger, member.id, '300.00')),
    pendingWithdrawal,
  ]);
  await untilSettled(system);
  let claimCount = paidClaims.reduce<number>((total, claimsOfRound) => total + claimsOfRound, 0);
  assert.ok(claimCount <= 8, 'a coin for each 300 of 2,400');
  await waitUntilResult(
    'a spin for each coin that is left',
    async () => (claimCount < 8 ? (claimCount += await spinAndClaim()) : claimCount),
    (madeSpins) => madeSpins === 8,
  );
  assert.equal((await spinWheel(system, member)).body.error, 'NO_COIN');
  const isWithdrawn = (await pendingWithdrawal).body.status === 'PROCESSING';
  const inGame = BigInt((await readProviderCredit(system, 'pg', username)).replace('.', ''));
  const expected = 240_000n + 5_600n - inGame - (isWithdrawn ? 20_000n : 0n);
  await waitUntilResult(
    'what is in the wallet',
    async () => {
      const { free, held } = await readBalance(ledger, member.id, 'WALLET');
      return held === '0.00' ? BigInt(free.replace('.', '')) : undefined;
    },
    (freeAmount) => freeAmount === expected,
  );
  assert.deepEqual(await findInconsistentCoinBalances(system), []);
  await assertBooksAgree(system, ledger, member.id, { pg: username });
});
