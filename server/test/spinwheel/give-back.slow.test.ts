import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { insertOffer } from '../bonus/bonus-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { readProviderCredit, openBet, openGame, playRound, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  withdrawAll,
} from '../withdraw/payout-fixtures.ts';
import { claimCoupon, moneyPrize, winCoupon } from './wheel-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
  await setPayoutDelay(system, 20);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});
afterEach(async () => {
  assert.deepEqual(
    (await ledger.audit()).filter(({ violations }) => violations !== 0),
    [],
  );
});

type PlayingMember = TestMember & { pg: string };
/** Met at twice the prize, lost at zero. */
const CONDITION_TERMS = { percentSuccess: 200, percentFail: 0 };

/** A member with these amounts in the wallet and in a game. */
async function newPlayerWith(inWallet: number, inGame: number): Promise<PlayingMember> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, 'pg');
  await fundWallet(ledger, member.id, (inWallet + inGame).toFixed(2));
  const transferReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: inGame });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  return { ...member, pg: username };
}
const winMoney = async (member: TestMember, baht: string): Promise<void> => {
  const { status, body } = await claimCoupon(
    system,
    member,
    await winCoupon(system, member, moneyPrize(baht, CONDITION_TERMS)),
  );
  assert.equal(status, 200, JSON.stringify(body));
};
/** The conditions of the wallet, after the games were asked. */
async function readOpenConditions({ token }: TestMember) {
  await system.api('GET /api/wallet/refresh/slot', { token });
  const { body } = await system.api('GET /api/wallet', { token });
  return body.conditions as {
    reference: string;
    current: number;
    target: number;
    ifCleared: { takesBack: number; keeps: number };
  }[];
}
const giveBackBonus = ({ token }: TestMember, reference: string) =>
  system.api('POST /api/bonus/clear', { token, body: { reference } });

test('a coupon shows the condition of its money or bonus prize before the claim [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const readConditions = async () =>
    (await system.api('GET /api/spinwheel/coupon', { token: member.token })).body.coupons[0].condition;
  await winCoupon(system, member, moneyPrize('20.00', CONDITION_TERMS));
  assert.deepEqual(await readConditions(), { base: 20, target: 40, floor: 0, turnoverTarget: null });
  const bonus = await insertOffer(system, { fixed: 100_00n, turnoverTimes: 5 });
  await winCoupon(system, member, { kind: 'BONUS', bonus });
  assert.deepEqual(await readConditions(), { base: 100, target: 300, floor: 10, turnoverTarget: 500 });
  await winCoupon(system, member, moneyPrize('20.00'));
  assert.equal(await readConditions(), null);
});

test('a claimed coupon with a condition can be returned: exactly the announced amount is taken, the rest can be withdrawn [R-SPIN-04]', async () => {
  const member = await newPlayerWith(1_004, 300);
  await winMoney(member, '20.00');
  assertRefused(await withdrawAll(system, member, 500), 'BONUS_CONDITION');
  const [condition] = await readOpenConditions(member);
  assert.ok(condition);
  assert.deepEqual([condition.current, condition.target], [20, 40]);
  assert.deepEqual(condition.ifCleared, { takesBack: 20, keeps: 1_304 });
  assert.equal((await system.api('GET /api/wallet', { token: member.token })).body.withdrawable, 0);
  const replies = await Promise.all(Array.from({ length: 8 }, () => giveBackBonus(member, condition.reference)));
  for (const { status, body } of [...replies, await giveBackBonus(member, condition.reference)]) {
    assert.deepEqual([status, body], [200, { message: 'BONUS_CLEARED', takenBack: 20, kept: 1_304 }]);
  }
  assert.equal(await readProviderCredit(system, 'pg', member.pg), '300.00', 'no game is touched');
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  assert.deepEqual([body.wallet.amount, body.withdrawable, body.conditions], [1_004, 1_304, []]);
  assert.equal((await withdrawAll(system, member, 1_304)).status, 200);
  await waitForNoOpenWithdrawals(system);
  assert.equal(await readReceivedAmount(system, member), '1304.00');
});

test('concurrent returns of one coupon whose money is in a game never answer that it is gone [R-SPIN-04]', async () => {
  const member = await newPlayerWith(1_004, 300);
  await winMoney(member, '20.00');
  const amount = (await system.api('GET /api/wallet', { token: member.token })).body.wallet.amount as number;
  assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount })).status, 200);
  const [condition] = await readOpenConditions(member);
  assert.ok(condition);
  const replies = await Promise.all(Array.from({ length: 6 }, () => giveBackBonus(member, condition.reference)));
  const last = await giveBackBonus(member, condition.reference);
  for (const { status, body } of replies) assert.ok([200, 409].includes(status), JSON.stringify(body));
  assert.deepEqual([last.status, last.body.takenBack], [200, 20]);
});

test("after any wins and losses, returning a coupon leaves exactly the member's own money", async () => {
  for (const [first, second, inWallet] of [
    ['10.00 0.00', '5.00 3.50', 0],
    ['30.00 45.75', '0.50 0.00', 40],
    ['100.00 85.00', '20.00 30.00', 5],
    ['1.00 0.00', '1.00 4.00', 1_000],
  ] as const) {
    const member = await newPlayerWith(inWallet, 200);
    await winMoney(member, '20.00');
    for (const round of [first, second]) {
      const [stake, wonAmount] = round.split(' ') as [string, string];
      await playRound(system, 'pg', member.pg, stake, wonAmount);
    }
    await fundWallet(ledger, member.id, '55.00');
    const ownAmount = inWallet + 200 + 55;
    const [condition] = await readOpenConditions(member);
    assert.ok(condition);
    assert.deepEqual(condition.ifCleared, { takesBack: condition.current, keeps: ownAmount });
    const { status, body } = await giveBackBonus(member, condition.reference);
    assert.deepEqual([status, body.takenBack, body.kept], [200, condition.current, ownAmount], JSON.stringify(body));
  }
});

test('stakes placed before a claim belong to the member when they are paid back', async () => {
  const member = await newPlayerWith(100, 80);
  const voidBet = await openBet(system, 'pg', member.pg, '50.00');
  await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  await winMoney(member, '20.00');
  const [openCondition] = await readOpenConditions(member);
  assertRefused(await giveBackBonus(member, openCondition?.reference ?? ''), 'BONUS_REMAINING', 'OPEN_BETS');
  await playRound(system, 'pg', member.pg, '1.00', '1.00');
  await voidBet();
  // The target equals the returned stake, which would end the condition.
  await system.database.query('update incentive_condition set target = 100000 where member_id = $1', [member.id]);
  const [condition] = await readOpenConditions(member);
  assert.deepEqual(condition?.ifCleared, { takesBack: 20, keeps: 180 });
  assert.equal((await giveBackBonus(member, condition?.reference ?? '')).body.kept, 180);
});

test("one of several coupons can be returned; the others stay, and a stranger's or unknown one is NO_DATA [R-ROLE-01]", async () => {
  const member = await newPlayerWith(50, 10);
  await winMoney(member, '20.00');
  await winMoney(member, '30.00');
  const [olderCondition, newerCondition] = await readOpenConditions(member);
  assert.ok(olderCondition && newerCondition);
  const stranger = await registerMember(system);
  assertRefused(await giveBackBonus(stranger, olderCondition.reference), 'NO_DATA');
  assertRefused(await giveBackBonus(member, 'B123'), 'NO_DATA');
  assert.equal((await giveBackBonus(member, newerCondition.reference)).body.takenBack, 30);
  assert.deepEqual(
    (await readOpenConditions(member)).map(({ reference }) => reference),
    [olderCondition.reference],
  );
  assert.equal((await giveBackBonus(member, olderCondition.reference)).body.kept, 60);
});
