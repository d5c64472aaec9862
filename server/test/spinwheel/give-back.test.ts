import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { creditOf, openBet, openGame, play, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { makeOffer } from '../bonus/bonus-world.ts';
import { nothingOpen, payoutsTake, receivedBy, withdrawAll } from '../withdraw/payout-fixtures.ts';
import { claim, money, win } from './wheel-world.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await setLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
  await payoutsTake(system, 20);
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

type Player = TestMember & { pg: string };
/** Met at twice the prize, lost when it is gone. */
const CONDITION = { percentSuccess: 200, percentFail: 0 };

/** A member with so much in the wallet and in a game. */
async function playerWith(inWallet: number, inGame: number): Promise<Player> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, 'pg');
  await fund(ledger, member.id, (inWallet + inGame).toFixed(2));
  const moved = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: inGame });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  return { ...member, pg: username };
}
const won = async (member: TestMember, baht: string): Promise<void> => {
  const { status, body } = await claim(system, member, await win(system, member, money(baht, CONDITION)));
  assert.equal(status, 200, JSON.stringify(body));
};
/** The conditions of the wallet, after the games were asked. */
async function conditionsOf({ token }: TestMember) {
  await system.api('GET /api/wallet/refresh/slot', { token });
  const { body } = await system.api('GET /api/wallet', { token });
  return body.conditions as {
    reference: string;
    current: number;
    target: number;
    ifCleared: { takesBack: number; keeps: number };
  }[];
}
const giveBack = ({ token }: TestMember, reference: string) =>
  system.api('POST /api/bonus/clear', { token, body: { reference } });

test('a coupon shows the condition of its money or bonus prize before the claim [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const listed = async () =>
    (await system.api('GET /api/spinwheel/coupon', { token: member.token })).body.coupons[0].condition;
  await win(system, member, money('20.00', CONDITION));
  assert.deepEqual(await listed(), { base: 20, target: 40, floor: 0, turnoverTarget: null });
  const bonus = await makeOffer(system, { fixed: 100_00n, turnoverTimes: 5 });
  await win(system, member, { kind: 'BONUS', bonus });
  assert.deepEqual(await listed(), { base: 100, target: 300, floor: 10, turnoverTarget: 500 });
  await win(system, member, money('20.00'));
  assert.equal(await listed(), null);
});

test('a claimed coupon with a condition can be given back: exactly the announced amount is taken, the rest can be withdrawn [R-SPIN-04]', async () => {
  const member = await playerWith(1_004, 300);
  await won(member, '20.00');
  assertRefused(await withdrawAll(system, member, 500), 'BONUS_CONDITION');
  const [condition] = await conditionsOf(member);
  assert.ok(condition);
  assert.deepEqual([condition.current, condition.target], [20, 40]);
  assert.deepEqual(condition.ifCleared, { takesBack: 20, keeps: 1_304 });
  assert.equal((await system.api('GET /api/wallet', { token: member.token })).body.withdrawable, 0);
  const replies = await Promise.all(Array.from({ length: 8 }, () => giveBack(member, condition.reference)));
  for (const { status, body } of [...replies, await giveBack(member, condition.reference)]) {
    assert.deepEqual([status, body], [200, { message: 'BONUS_CLEARED', takenBack: 20, kept: 1_304 }]);
  }
  assert.equal(await creditOf(system, 'pg', member.pg), '300.00', 'no game is touched');
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  assert.deepEqual([body.wallet.amount, body.withdrawable, body.conditions], [1_004, 1_304, []]);
  assert.equal((await withdrawAll(system, member, 1_304)).status, 200);
  await nothingOpen(system);
  assert.equal(await receivedBy(system, member), '1304.00');
});

test('whatever was won and lost with it, giving a coupon back leaves exactly the member’s own money', async () => {
  for (const [first, second, inWallet] of [
    ['10.00 0.00', '5.00 3.50', 0],
    ['30.00 45.75', '0.50 0.00', 40],
    ['100.00 85.00', '20.00 30.00', 5],
    ['1.00 0.00', '1.00 4.00', 1_000],
  ] as const) {
    const member = await playerWith(inWallet, 200);
    await won(member, '20.00');
    for (const round of [first, second]) {
      const [stake, paid] = round.split(' ') as [string, string];
      await play(system, 'pg', member.pg, stake, paid);
    }
    await fund(ledger, member.id, '55.00');
    const own = inWallet + 200 + 55;
    const [condition] = await conditionsOf(member);
    assert.ok(condition);
    assert.deepEqual(condition.ifCleared, { takesBack: condition.current, keeps: own });
    const { status, body } = await giveBack(member, condition.reference);
    assert.deepEqual([status, body.takenBack, body.kept], [200, condition.current, own], JSON.stringify(body));
  }
});

test('stakes from before a claim remain the member’s own when they are paid back', async () => {
  const member = await playerWith(100, 80);
  const voidBet = await openBet(system, 'pg', member.pg, '50.00');
  await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  await won(member, '20.00');
  const [open] = await conditionsOf(member);
  assertRefused(await giveBack(member, open?.reference ?? ''), 'BONUS_REMAINING', 'OPEN_BETS');
  await play(system, 'pg', member.pg, '1.00', '1.00');
  await voidBet();
  // A target that the returned stake alone meets would end the condition.
  await system.database.query('update incentive_condition set target = 100000 where member_id = $1', [member.id]);
  const [condition] = await conditionsOf(member);
  assert.deepEqual(condition?.ifCleared, { takesBack: 20, keeps: 180 });
  assert.equal((await giveBack(member, condition?.reference ?? '')).body.kept, 180);
});

test('one of several coupons can be given back; the other stays, and a stranger’s or an unknown one is NO_DATA [R-ROLE-01]', async () => {
  const member = await playerWith(50, 10);
  await won(member, '20.00');
  await won(member, '30.00');
  const [older, newer] = await conditionsOf(member);
  assert.ok(older && newer);
  const stranger = await registerMember(system);
  assertRefused(await giveBack(stranger, older.reference), 'NO_DATA');
  assertRefused(await giveBack(member, 'B123'), 'NO_DATA');
  assert.equal((await giveBack(member, newer.reference)).body.takenBack, 30);
  assert.deepEqual(
    (await conditionsOf(member)).map(({ reference }) => reference),
    [older.reference],
  );
  assert.equal((await giveBack(member, older.reference)).body.kept, 60);
});
