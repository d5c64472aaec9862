import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { readActiveBonus, clearBonus, insertOffer, receiveBonus } from '../bonus/bonus-fixtures.ts';
import { openBet, openGame, playRound, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { claimCoupon, moneyPrize, winCoupon } from '../spinwheel/wheel-fixtures.ts';
import { waitForNoOpenWithdrawals, withdraw } from '../withdraw/payout-fixtures.ts';
import { bonusAward, grantAward, memberRefOf, openIncentiveNode } from './incentive-fixtures.ts';

/** Met at 40, lost at 2. */
const MONEY_PRIZE = moneyPrize('20.00', { percentSuccess: 200, percentFail: 10 });

type PlayingMember = TestMember & { username: string };
type ShownCondition = { current: number; turnover: number | null; turnoverTarget: number | null; isCounting: boolean };

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
after(async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await ledger?.close();
  await system?.stop();
});

async function newPlayer(ownAmount: string, game = 'pg'): Promise<PlayingMember> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, game);
  if (ownAmount !== '0.00') await fundWallet(ledger, member.id, ownAmount);
  return { ...member, username };
}
async function claimPrizeCoupons(member: TestMember, count: number): Promise<void> {
  for (let coinIndex = 0; coinIndex < count; coinIndex += 1) {
    const { body } = await claimCoupon(system, member, await winCoupon(system, member, MONEY_PRIZE));
    assert.equal(body.success, true, JSON.stringify(body));
  }
}
const transferInto = async (member: TestMember, amount: number, to = 'pg'): Promise<void> => {
  const { status } = await transfer(system, member.token, { from: 'WALLET', to, amount });
  assert.equal(status, 200);
};
const transferHome = async (member: TestMember, amount: number): Promise<void> => {
  const { status } = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount });
  assert.equal(status, 200);
};
const loseStake = (member: PlayingMember, amount: string) => playRound(system, 'pg', member.username, amount, '0');
const winInGame = (member: PlayingMember, amount: string) =>
  playRound(system, 'pg', member.username, '1', String(Number(amount) + 1));
const readActiveConditions = async (member: TestMember): Promise<ShownCondition[]> =>
  (await readActiveBonus(system, member)).conditions;
const readFreeBalance = async ({ id }: TestMember): Promise<string> => (await readBalance(ledger, id, 'WALLET')).free;

const readConditions = async (member: TestMember): Promise<string[]> =>
  (await readActiveConditions(member)).map(({ current, isCounting }) => `${current}${isCounting ? ' counts' : ''}`);

describe('several conditions of one member', () => {
  test('one loss ends one of eleven prizes, and no prize money can be withdrawn [R-WDR-02] [R-SPIN-04]', async () => {
    const member = await newPlayer('18.00');
    await claimPrizeCoupons(member, 11);
    await transferInto(member, 18);
    await loseStake(member, '18');
    assert.deepEqual(await readConditions(member), ['20 counts', ...Array.from({ length: 9 }, () => '20')]);
    const refusedReply = await withdraw(system, member, 202);
    assert.deepEqual([refusedReply.status, refusedReply.body.message], [409, 'BONUS_CONDITION']);
    assert.equal(await readFreeBalance(member), '220.00');
  });

  test('each win fulfils one of three prizes, and after the third the money can be withdrawn [R-WDR-02] [R-SPIN-04]', async () => {
    const member = await newPlayer('10.00');
    await claimPrizeCoupons(member, 3);
    await transferInto(member, 10);
    await winInGame(member, '20');
    assert.deepEqual(await readConditions(member), ['20 counts', '20']);
    // The second condition keeps its own win.
    await winInGame(member, '15');
    assert.deepEqual(await readConditions(member), ['35 counts', '20']);
    // Enough for the rest of the second and half of the third.
    await winInGame(member, '15');
    assert.deepEqual(await readConditions(member), ['30 counts']);
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    await winInGame(member, '10');
    assert.deepEqual(await readConditions(member), []);
    await transferHome(member, 70);
    assert.equal((await withdraw(system, member, 130)).status, 200);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readFreeBalance(member), '0.00');
  });

  test('a loss large enough for two prizes ends two, and its rest counts for the third [R-SPIN-04]', async () => {
    const member = await newPlayer('40.00');
    await claimPrizeCoupons(member, 3);
    await transferInto(member, 40);
    await loseStake(member, '40');
    assert.deepEqual(await readConditions(member), ['16 counts']);
  });

  test('play before a prize was claimed does not count for any prize [R-SPIN-04]', async () => {
    const member = await newPlayer('100.00');
    await claimPrizeCoupons(member, 1);
    await transferInto(member, 100);
    await loseStake(member, '60');
    // The games have not been refreshed since: the loss ends the first prize, and is older than the second.
    await claimPrizeCoupons(member, 1);
    assert.deepEqual(await readConditions(member), ['20 counts']);
  });

  test('while a bet is open no prize is lost; afterwards the loss counts once [R-SPIN-04]', async () => {
    const member = await newPlayer('50.00');
    await claimPrizeCoupons(member, 3);
    await transferInto(member, 50);
    const takeBack = await openBet(system, 'pg', member.username, '50');
    assert.deepEqual(await readConditions(member), ['0 counts', '20', '20']);
    await takeBack();
    assert.deepEqual(await readConditions(member), ['20 counts', '20', '20']);
    await loseStake(member, '18');
    assert.deepEqual(await readConditions(member), ['20 counts', '20']);
  });
});

describe('a bonus among several conditions', () => {
  test('a cancelled bonus takes only its own money, and leaves the older prize its play [R-BON-03] [R-SPIN-04]', async () => {
    const member = await newPlayer('0.00');
    await claimPrizeCoupons(member, 2);
    await fundWallet(ledger, member.id, '100.00');
    const code = await insertOffer(system, { rest: 40_00n });
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    await transferInto(member, 100);
    await winInGame(member, '10');
    assert.deepEqual(await readConditions(member), ['30 counts', '20', '200']);
    const { body } = await clearBonus(system, member);
    assert.deepEqual([body.takenBack, body.kept], [100, 150]);
    assert.deepEqual(await readConditions(member), ['30 counts', '20']);
    await transferInto(member, 100);
    await loseStake(member, '28');
    assert.deepEqual(await readConditions(member), ['20 counts']);
  });

  test('an older bonus takes all play until it is cancelled: none counts for later prizes [R-BON-03] [R-SPIN-04]', async () => {
    const member = await newPlayer('100.00');
    const code = await insertOffer(system);
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    await claimPrizeCoupons(member, 2);
    await transferInto(member, 200);
    await winInGame(member, '150');
    assert.deepEqual(await readConditions(member), ['350 counts', '20', '20']);
    const { body } = await clearBonus(system, member);
    assert.deepEqual([body.takenBack, body.kept], [250, 140]);
    assert.deepEqual(await readConditions(member), ['20 counts', '20']);
  });

  test('turnover counts once: turnover that fulfils the bonus does not fulfil the prize behind it [R-BON-03] [R-SPIN-04]', async () => {
    const member = await newPlayer('0.00', 'joker2');
    await fundWallet(ledger, member.id, '100.00');
    const code = await insertOffer(system, { turnoverTimes: 1 });
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    await grantTurnoverPrize(member);
    await transferInto(member, 200, 'joker2');
    await playRound(system, 'joker2', member.username, '200', '200');
    const [second, ...otherTurnovers] = await readTurnovers(member);
    assert.deepEqual([second, otherTurnovers], ['0 of 100 counts', []]);
    await playRound(system, 'joker2', member.username, '60', '60');
    assert.deepEqual(await readTurnovers(member), ['60 of 100 counts']);
    await playRound(system, 'joker2', member.username, '40', '40');
    assert.deepEqual(await readTurnovers(member), []);
  });

  test('after losing all money every condition has ended, and later money is free [R-WDR-02]', async () => {
    const member = await newPlayer('0.00');
    await claimPrizeCoupons(member, 3);
    await transferInto(member, 60);
    await loseStake(member, '60');
    assert.deepEqual(await readConditions(member), []);
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await withdraw(system, member, 100)).status, 200);
    await waitForNoOpenWithdrawals(system);
  });

  test("concurrent measurements on two nodes count a loss once, each continuing from the other's result [R-SPIN-04] [R-XFER-04]", async () => {
    const otherNode = await openIncentiveNode(system);
    try {
      const member = await newPlayer('36.00');
      await claimPrizeCoupons(member, 4);
      await transferInto(member, 36);
      for (const [amount, expectedLeft] of [
        ['12', ['8 counts', '20', '20', '20']],
        ['12', ['14 counts', '20', '20']],
        ['12', ['20 counts', '20']],
      ] as const) {
        await loseStake(member, amount);
        await Promise.all([
          ...Array.from({ length: 5 }, () => readActiveConditions(member)),
          ...Array.from({ length: 5 }, () => otherNode.incentive.refreshProgress(memberRefOf(member), 'en')),
        ]);
        assert.deepEqual(await readConditions(member), expectedLeft);
      }
    } finally {
      await otherNode.close();
    }
  });

  /** Grants a prize of 100.00 with a turnover of once the amount. */
  async function grantTurnoverPrize(member: TestMember): Promise<void> {
    const incentiveNode = await openIncentiveNode(system);
    const turnoverAward = bonusAward('100', '0', { turnoverTimes: 1, percentSuccess: 900 });
    try {
      await grantAward(incentiveNode, member, { ...turnoverAward, kind: 'COUPON' });
    } finally {
      await incentiveNode.close();
    }
  }
  const readTurnovers = async (member: TestMember): Promise<string[]> =>
    (await readActiveConditions(member)).map(
      ({ turnover, turnoverTarget, isCounting }) =>
        `${String(turnover)} of ${String(turnoverTarget)}${isCounting ? ' counts' : ''}`,
    );
});
