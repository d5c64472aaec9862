import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { openBet, openGame, playRound, untilSettled, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  withdraw,
  withdrawAll,
} from '../withdraw/payout-fixtures.ts';
import {
  readActiveBonus,
  clearBonus,
  listBonuses,
  insertOffer,
  receiveBonus,
  countReceived,
} from './bonus-fixtures.ts';

type PlayingMember = TestMember & { username: string };

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 20);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** A deposit of 200 and a bonus of 100 on it, of which 300 are in a game: met at 600, lost at 30. */
const newPlayerWithBonus = async (
  offerTerms: Parameters<typeof insertOffer>[1] = {},
  game = 'pg',
): Promise<PlayingMember> => {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, game);
  await fundWallet(ledger, member.id, '200.00');
  const code = await insertOffer(system, { percent: 50, success: 200, ...offerTerms });
  const { status, body } = await receiveBonus(system, member, code);
  assert.equal(status, 200, JSON.stringify(body));
  const transferReply = await transfer(system, member.token, { from: 'WALLET', to: game, amount: 300 });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  return { ...member, username };
};
const readFreeBalance = async ({ id }: TestMember): Promise<string> => (await readBalance(ledger, id, 'WALLET')).free;

describe('condition and cancellation of a bonus', () => {
  test('a second click on a bonus, and a repetition after a lost reply, return the active bonus, and the statement has it once [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fundWallet(ledger, member.id, '200.00');
    const code = await insertOffer(system, { percent: 12.5, type: 'day' });
    const { status, body } = await receiveBonus(system, member, code);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.code, body.amount, body.isActive, body.received.length], [code, 25, true, 1]);
    assertRefused(await receiveBonus(system, member, code), 'BONUS_ALREADY_ACTIVE');
    const now = await readActiveBonus(system, member);
    assert.deepEqual(now.condition, body.condition);
    assert.deepEqual([now.status, now.type, now.code, now.conditions.length], [true, 'day', code, 1]);
    const { name, base, current, target, floor, turnover } = now.condition;
    assert.deepEqual([name, base, current, target, floor, turnover], [`${code} th`, 225, 225, 675, 22.5, null]);
    const { body: page } = await system.api('POST /api/statement', { token: member.token, body: {} });
    const entries = page.statements.filter(
      (statement: { statementType: string }) => statement.statementType === 'bonus',
    );
    assert.equal(entries.length, 1);
    assert.equal(entries[0].amount, 25);
    const bonusCard = (await listBonuses(system, member)).find((bonus) => bonus.code === code);
    assert.deepEqual(
      [bonusCard.userBonus.isActive, bonusCard.isExhausted, bonusCard.userBonus._id],
      [true, true, body._id],
    );
  });

  test('until a bonus reaches its target both withdrawal calls are refused; then they pay [R-BON-03] [R-WDR-02] [R-NET-06]', async () => {
    const member = await newPlayerWithBonus();
    for (const sendRequest of [withdraw, withdrawAll]) {
      const refusedReply = await sendRequest(system, member, 100);
      assertRefused(refusedReply, 'BONUS_CONDITION');
      assert.match(refusedReply.body.detail, /CURRENT=300\.00 TARGET=600\.00/);
    }
    // A deposit is not a win.
    await fundWallet(ledger, member.id, '500.00');
    assertRefused(await withdraw(system, member, 100), 'BONUS_CONDITION');
    await playRound(system, 'pg', member.username, '10', '309.99');
    assertRefused(await withdrawAll(system, member, 100), 'BONUS_CONDITION');
    assert.equal((await readActiveBonus(system, member)).condition.current, 599.99);
    await playRound(system, 'pg', member.username, '0.01', '0.02');
    assert.equal((await withdrawAll(system, member, 1_100)).status, 200);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '1100.00');
    assert.equal((await readActiveBonus(system, member)).status, false);
    assertRefused(await clearBonus(system, member), 'NO_DATA');
  });

  test('turnover fulfils the condition of a bonus whose offer counts it [R-BON-03]', async () => {
    const member = await newPlayerWithBonus({ turnoverTimes: 2 }, 'joker2');
    await playRound(system, 'joker2', member.username, '299', '299');
    const { condition } = await readActiveBonus(system, member);
    assert.deepEqual([condition.turnover, condition.turnoverTarget], [299, 600]);
    await playRound(system, 'joker2', member.username, '299', '298');
    assertRefused(await withdrawAll(system, member, 100), 'BONUS_CONDITION');
    await playRound(system, 'joker2', member.username, '2', '1');
    assert.equal((await readActiveBonus(system, member)).status, false);
    assert.equal((await withdrawAll(system, member, 298)).status, 200);
    await waitForNoOpenWithdrawals(system);
  });

  test('a bonus whose money falls to its floor ends, and the rest belongs to the member [R-BON-03]', async () => {
    const member = await newPlayerWithBonus();
    await playRound(system, 'pg', member.username, '200', '0');
    assert.equal((await readActiveBonus(system, member)).condition.current, 100);
    await playRound(system, 'pg', member.username, '70', '0');
    assert.equal((await readActiveBonus(system, member)).status, false);
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await withdrawAll(system, member, 130)).status, 200);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await countReceived(system, member.id), 1);
  });

  for (const [title, stake, win, takenBack, keptAmount] of [
    ['nothing was played', '0.01', '0.01', 100, 200],
    ['something was won', '10', '60', 150, 200],
    ['some of the bonus was lost', '40', '0', 60, 200],
    ['all of the bonus was lost', '100', '0', 0, 200],
    ['some of the deposit was lost too', '180', '0', 0, 120],
  ] as const) {
    test(`a bonus cancelled after ${title} takes back and leaves exactly the announced amounts [R-BON-03]`, async () => {
      const member = await newPlayerWithBonus();
      await playRound(system, 'pg', member.username, stake, win);
      const { ifCleared } = await readActiveBonus(system, member);
      assert.deepEqual(ifCleared, { takesBack: takenBack, keeps: keptAmount });
      const { status, body } = await clearBonus(system, member);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, { message: 'BONUS_CLEARED', takenBack, kept: keptAmount });
      await untilSettled(system);
      assert.equal(Number(await readFreeBalance(member)), keptAmount);
      assert.equal((await readActiveBonus(system, member)).status, false);
      assertRefused(await clearBonus(system, member), 'NO_DATA');
      // No bonus money is paid out.
      assertRefused(await withdrawAll(system, member, keptAmount + 0.01), 'MONEY_NOT_ENOUGH');
      assert.equal((await withdrawAll(system, member, keptAmount)).status, 200);
      await waitForNoOpenWithdrawals(system);
      assert.equal(Number(await readReceivedAmount(system, member)), keptAmount);
    });
  }
});

describe('cancelling a bonus', () => {
  test('a bonus with open bets is not cancelled: BONUS_REMAINING, and nothing changes [R-BON-03] [R-NET-06]', async () => {
    const member = await newPlayerWithBonus();
    const voidBet = await openBet(system, 'pg', member.username, '100');
    assertRefused(await clearBonus(system, member), 'BONUS_REMAINING', 'OPEN_BETS');
    const { status, condition } = await readActiveBonus(system, member);
    assert.deepEqual([status, condition.outstanding, condition.state], [true, 100, 'ACTIVE']);
    await voidBet();
    assert.equal((await clearBonus(system, member)).status, 200);
  });

  test('thirty concurrent cancellations of a bonus take money back once [R-BON-03]', async () => {
    const member = await newPlayerWithBonus();
    const replies = await Promise.all(Array.from({ length: 30 }, () => clearBonus(system, member)));
    for (const { status, body } of replies) {
      assert.ok(status === 200 || body.message === 'NO_DATA', `${status} ${JSON.stringify(body)}`);
    }
    await untilSettled(system);
    assert.equal(await readFreeBalance(member), '200.00');
  });

  test('of a bonus and a withdrawal on one deposit at the same moment, one succeeds [R-BON-03] [R-WDR-02]', async () => {
    for (let round = 0; round < 5; round += 1) {
      const member = await registerMember(system);
      await fundWallet(ledger, member.id, '200.00');
      const code = await insertOffer(system);
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => [receiveBonus(system, member, code), withdraw(system, member, 200)]).flat(),
      );
      for (const { status, body } of replies) assert.ok(status < 500, JSON.stringify(body));
      await waitForNoOpenWithdrawals(system);
      const [received, freeBalance] = [await countReceived(system, member.id), await readFreeBalance(member)];
      const paidAmount = await readReceivedAmount(system, member);
      const outcomeSummary = `${received} received, ${paidAmount} paid, ${freeBalance} left`;
      assert.ok(
        ['1 received, 0.00 paid, 400.00 left', '0 received, 200.00 paid, 0.00 left'].includes(outcomeSummary),
        outcomeSummary,
      );
    }
  });

  test('after bonuses, cancellations and withdrawals the audits of the ledger find nothing', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });
});
