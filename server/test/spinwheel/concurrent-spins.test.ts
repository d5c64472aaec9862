import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertBooksAgree, creditOf, eventually, openGame, settled, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { setLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { brokenPurses, claim, money, onlyWheel, publish, spin } from './wheel-world.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await setLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});

test('spins, claims, deposits, transfers and a withdrawal of one member at once: no coin and no satang too many or too few [R-SPIN-04] [R-XFER-04]', async () => {
  await publish(system, onlyWheel(money('7.00')));
  const member = await registerMember(system);
  const { token } = member;
  const { username } = await openGame(system, token, 'pg');
  await fund(ledger, member.id, '1500.00');
  const spinAgain = async (): Promise<number> => {
    const { body } = await spin(system, member);
    if (!body.success) return 0;
    const claims = await Promise.all([
      claim(system, member, body.result.spinId),
      claim(system, member, body.result.spinId),
    ]);
    return claims.filter((one) => one.body.success).length;
  };
  const withdrawing = withdraw(system, member, 200);
  const [paid] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, spinAgain)),
    ...Array.from({ length: 5 }, () => transfer(system, token, { from: 'WALLET', to: 'pg', amount: 50 })),
    ...Array.from({ length: 3 }, () => fund(ledger, member.id, '300.00')),
    withdrawing,
  ]);
  await settled(system);
  let claims = paid.reduce<number>((sum, one) => sum + one, 0);
  assert.ok(claims <= 8, 'a coin for each 300 of 2,400');
  await eventually(
    'a spin for each coin that is left',
    async () => (claims < 8 ? (claims += await spinAgain()) : claims),
    (made) => made === 8,
  );
  assert.equal((await spin(system, member)).body.error, 'NO_COIN');
  const isWithdrawn = (await withdrawing).body.status === 'PROCESSING';
  const inGame = BigInt((await creditOf(system, 'pg', username)).replace('.', ''));
  const expected = 240_000n + 5_600n - inGame - (isWithdrawn ? 20_000n : 0n);
  await eventually(
    'what is in the wallet',
    async () => {
      const { free, held } = await balanceOf(ledger, member.id, 'WALLET');
      return held === '0.00' ? BigInt(free.replace('.', '')) : undefined;
    },
    (free) => free === expected,
  );
  assert.deepEqual(await brokenPurses(system), []);
  await assertBooksAgree(system, ledger, member.id, { pg: username });
});
