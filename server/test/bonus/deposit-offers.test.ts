import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { clearProviderFaults, failProvider, openBet, openGame, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import { insertOffer, receiveBonus, updateOffer } from './bonus-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** The codes offered for a new deposit, and the obstacle when there is none. */
async function readOffers({ token }: TestMember): Promise<{ codes: string[]; obstacle: string | null }> {
  const { status, body } = await system.api('GET /api/deposit/bonuses', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return { codes: body.bonuses.map((bonus: { code: string }) => bonus.code), obstacle: body.obstacle };
}

test('bonuses offered for a new deposit are those that the member could receive on it [R-BON-03] [R-WALLET-01]', async () => {
  const code = await insertOffer(system);
  const full = await insertOffer(system, { quota: 0 });
  const member = await registerMember(system);
  const { codes, obstacle } = await readOffers(member);
  assert.deepEqual([codes.includes(code), codes.includes(full), codes.includes('WHEEL')], [true, false, false]);
  assert.equal(obstacle, null);
  // Money that is left excludes every offer without a rest, as a claim would.
  await fundWallet(ledger, member.id, '300.00');
  assert.equal((await readOffers(member)).codes.includes(code), false);
  assert.equal((await receiveBonus(system, member, code)).status, 200);
  assert.deepEqual((await readOffers(member)).codes, []);
  assertRefused(await system.api('GET /api/deposit/bonuses'), 'UNAUTHORIZED');
});

test('without a bonus for a new deposit, the reply names an obstacle that the member can remove or wait for [R-BON-03]', async () => {
  await system.database.query(`update bonus_offer set is_on = false where kind = 'BONUS'`);
  const assertObstacle = async (member: TestMember, obstacle: string | null): Promise<void> =>
    assert.deepEqual(await readOffers(member), { codes: [], obstacle });
  const member = await registerMember(system);
  await assertObstacle(member, null);
  const full = await insertOffer(system, { quota: 0 });
  await fundWallet(ledger, member.id, '300.00');
  await assertObstacle(member, null);

  const code = await insertOffer(system);
  await assertObstacle(member, 'MONEY_LEFT');
  const { username } = await openGame(system, member.token, 'pg');
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
  const voidBet = await openBet(system, 'pg', username, '100');
  // A claim asks the games.
  assertRefused(await receiveBonus(system, member, code), 'BONUS_REMAINING', 'OPEN_BETS');
  await assertObstacle(member, 'OPEN_BETS');
  await voidBet();
  assert.equal((await receiveBonus(system, member, code)).status, 200);
  // The received offer is used up forever.
  await assertObstacle(member, null);
  const weekly = await insertOffer(system, { type: 'week', maxReceived: 1 });
  await assertObstacle(member, 'BONUS_ALREADY_ACTIVE');
  assert.equal((await system.api('GET /api/bonus/clear', { token: member.token })).status, 200);
  await assertObstacle(member, 'MONEY_LEFT');
  // A game without a reply does not hide the money in the wallet.
  await failProvider(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 100 });
  assertRefused(await receiveBonus(system, member, weekly), 'BONUS_CONDITION', 'DEPOSIT_USED');
  await assertObstacle(member, 'MONEY_LEFT');
  await clearProviderFaults(system);

  const withdrawing = await registerMember(system);
  await fundWallet(ledger, withdrawing.id, '300.00');
  await setPayoutDelay(system, 3_600_000);
  assert.equal((await withdraw(system, withdrawing, 300)).status, 200);
  await assertObstacle(withdrawing, 'WITHDRAW_IN_PROGRESS');

  const claimed = await registerMember(system);
  await fundWallet(ledger, claimed.id, '300.00');
  assert.equal((await receiveBonus(system, claimed, weekly)).status, 200);
  // Another offer can be received after the active one.
  await assertObstacle(claimed, 'BONUS_ALREADY_ACTIVE');
  await updateOffer(system, code, 'is_on', false);
  await assertObstacle(claimed, 'BONUS_MAX_CLAIMED');
  assert.equal((await system.api('GET /api/bonus/clear', { token: claimed.token })).status, 200);
  assert.equal((await withdraw(system, claimed, 300)).status, 200);
  // The end of the withdrawal makes no offer possible before the next week.
  await assertObstacle(claimed, 'BONUS_MAX_CLAIMED');
  await updateOffer(system, full, 'quota', null);
  await assertObstacle(claimed, 'WITHDRAW_IN_PROGRESS');
  assert.deepEqual(await readOffers(await registerMember(system)), { codes: [full, weekly], obstacle: null });
});
