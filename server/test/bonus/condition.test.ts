import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { openBet, openGame, play, settled, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, receivedBy, withdraw, withdrawAll } from '../withdraw/payout-fixtures.ts';
import { active, clear, listed, makeOffer, receive, receivedTimes } from './bonus-world.ts';

type Player = TestMember & { username: string };

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await payoutsTake(system, 20);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** A deposit of 200, a bonus of 100 on it, and 300 of that in a game: met at 600, lost at 30. */
const playerWithBonus = async (terms: Parameters<typeof makeOffer>[1] = {}, game = 'pg'): Promise<Player> => {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, game);
  await fund(ledger, member.id, '200.00');
  const code = await makeOffer(system, { percent: 50, success: 200, ...terms });
  const { status, body } = await receive(system, member, code);
  assert.equal(status, 200, JSON.stringify(body));
  const moved = await transfer(system, member.token, { from: 'WALLET', to: game, amount: 300 });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  return { ...member, username };
};
const free = async ({ id }: TestMember): Promise<string> => (await balanceOf(ledger, id, 'WALLET')).free;

describe('what a bonus asks, and what giving it up does', () => {
  test('a second tap, and a repetition after a lost answer, return what is active, and the statement has it once [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fund(ledger, member.id, '200.00');
    const code = await makeOffer(system, { percent: 12.5, type: 'day' });
    const { status, body } = await receive(system, member, code);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.code, body.amount, body.isActive, body.received.length], [code, 25, true, 1]);
    assertRefused(await receive(system, member, code), 'BONUS_ALREADY_ACTIVE');
    const now = await active(system, member);
    assert.deepEqual(now.condition, body.condition);
    assert.deepEqual([now.status, now.type, now.code, now.conditions.length], [true, 'day', code, 1]);
    const { name, base, current, target, floor, turnover } = now.condition;
    assert.deepEqual([name, base, current, target, floor, turnover], [`${code} th`, 225, 225, 675, 22.5, null]);
    const { body: page } = await system.api('POST /api/statement', { token: member.token, body: {} });
    const entries = page.statements.filter((line: { statementType: string }) => line.statementType === 'bonus');
    assert.equal(entries.length, 1);
    assert.equal(entries[0].amount, 25);
    const card = (await listed(system, member)).find((one) => one.code === code);
    assert.deepEqual([card.userBonus.isActive, card.isExhausted, card.userBonus._id], [true, true, body._id]);
  });

  test('no money leaves by either way until the target is reached; then it does [R-BON-03] [R-WDR-02] [R-NET-06]', async () => {
    const member = await playerWithBonus();
    for (const ask of [withdraw, withdrawAll]) {
      const refused = await ask(system, member, 100);
      assertRefused(refused, 'BONUS_CONDITION');
      assert.match(refused.body.detail, /CURRENT=300\.00 TARGET=600\.00/);
    }
    // A deposit is not a win.
    await fund(ledger, member.id, '500.00');
    assertRefused(await withdraw(system, member, 100), 'BONUS_CONDITION');
    await play(system, 'pg', member.username, '10', '309.99');
    assertRefused(await withdrawAll(system, member, 100), 'BONUS_CONDITION');
    assert.equal((await active(system, member)).condition.current, 599.99);
    await play(system, 'pg', member.username, '0.01', '0.02');
    assert.equal((await withdrawAll(system, member, 1_100)).status, 200);
    await nothingOpen(system);
    assert.equal(await receivedBy(system, member), '1100.00');
    assert.equal((await active(system, member)).status, false);
    assertRefused(await clear(system, member), 'NO_DATA');
  });

  test('turnover meets it too, where the offer says so [R-BON-03]', async () => {
    const member = await playerWithBonus({ turnoverTimes: 2 }, 'joker2');
    await play(system, 'joker2', member.username, '299', '299');
    const { condition } = await active(system, member);
    assert.deepEqual([condition.turnover, condition.turnoverTarget], [299, 600]);
    await play(system, 'joker2', member.username, '299', '298');
    assertRefused(await withdrawAll(system, member, 100), 'BONUS_CONDITION');
    await play(system, 'joker2', member.username, '2', '1');
    assert.equal((await active(system, member)).status, false);
    assert.equal((await withdrawAll(system, member, 298)).status, 200);
    await nothingOpen(system);
  });

  test('at the floor the bonus ends, and what is left is the member’s [R-BON-03]', async () => {
    const member = await playerWithBonus();
    await play(system, 'pg', member.username, '200', '0');
    assert.equal((await active(system, member)).condition.current, 100);
    await play(system, 'pg', member.username, '70', '0');
    assert.equal((await active(system, member)).status, false);
    await fund(ledger, member.id, '100.00');
    assert.equal((await withdrawAll(system, member, 130)).status, 200);
    await nothingOpen(system);
    assert.equal(await receivedTimes(system, member.id), 1);
  });

  for (const [what, stake, win, takenBack, kept] of [
    ['nothing was played', '0.01', '0.01', 100, 200],
    ['something was won', '10', '60', 150, 200],
    ['some of the bonus was lost', '40', '0', 60, 200],
    ['all of the bonus was lost', '100', '0', 0, 200],
    ['some of the deposit was lost too', '180', '0', 0, 120],
  ] as const) {
    test(`given up after ${what}: it takes back and leaves exactly what was announced before [R-BON-03]`, async () => {
      const member = await playerWithBonus();
      await play(system, 'pg', member.username, stake, win);
      const { ifCleared } = await active(system, member);
      assert.deepEqual(ifCleared, { takesBack: takenBack, keeps: kept });
      const { status, body } = await clear(system, member);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, { message: 'BONUS_CLEARED', takenBack, kept });
      await settled(system);
      assert.equal(Number(await free(member)), kept);
      assert.equal((await active(system, member)).status, false);
      assertRefused(await clear(system, member), 'NO_DATA');
      // No money of the bonus goes out.
      assertRefused(await withdrawAll(system, member, kept + 0.01), 'MONEY_NOT_ENOUGH');
      assert.equal((await withdrawAll(system, member, kept)).status, 200);
      await nothingOpen(system);
      assert.equal(Number(await receivedBy(system, member)), kept);
    });
  }
});

describe('giving a bonus up', () => {
  test('with open bets it is not given up: BONUS_REMAINING, and nothing has changed [R-BON-03] [R-NET-06]', async () => {
    const member = await playerWithBonus();
    const voided = await openBet(system, 'pg', member.username, '100');
    assertRefused(await clear(system, member), 'BONUS_REMAINING', 'OPEN_BETS');
    const { status, condition } = await active(system, member);
    assert.deepEqual([status, condition.outstanding, condition.state], [true, 100, 'ACTIVE']);
    await voided();
    assert.equal((await clear(system, member)).status, 200);
  });

  test('thirty taps on giving up at the same moment take back once [R-BON-03]', async () => {
    const member = await playerWithBonus();
    const replies = await Promise.all(Array.from({ length: 30 }, () => clear(system, member)));
    for (const { status, body } of replies) {
      assert.ok(status === 200 || body.message === 'NO_DATA', `${status} ${JSON.stringify(body)}`);
    }
    await settled(system);
    assert.equal(await free(member), '200.00');
  });

  test('a bonus and a withdrawal at the same moment: either the deposit leaves, or it earns the bonus [R-BON-03] [R-WDR-02]', async () => {
    for (let round = 0; round < 5; round += 1) {
      const member = await registerMember(system);
      await fund(ledger, member.id, '200.00');
      const code = await makeOffer(system);
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => [receive(system, member, code), withdraw(system, member, 200)]).flat(),
      );
      for (const { status, body } of replies) assert.ok(status < 500, JSON.stringify(body));
      await nothingOpen(system);
      const [received, left] = [await receivedTimes(system, member.id), await free(member)];
      const paid = await receivedBy(system, member);
      const ends = `${received} received, ${paid} paid, ${left} left`;
      assert.ok(['1 received, 0.00 paid, 400.00 left', '0 received, 200.00 paid, 0.00 left'].includes(ends), ends);
    }
  });

  test('after all that the ledger agrees with itself', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });
});
