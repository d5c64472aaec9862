import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { LANGUAGE_COOKIE } from '@krapao/contract/languages';
import { minor } from '@krapao/contract/money';
import { insertOffer, receiveBonus } from '../bonus/bonus-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { clearProviderFaults, failProvider, openBet } from '../harness/games.ts';
import { fundWallet } from '../harness/money.ts';
import { closeWallet, waitForSettingsReload } from '../harness/operator.ts';
import {
  depositToWallet,
  readFreeAmount,
  readGrantedAmounts,
  postponeOpenGrants,
  newPlayer,
  playGameRound,
  refuseCredits,
  refreshBalances,
  transferToGame,
} from '../harness/playing-member.ts';
import { setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  addRefundToWallet,
  readRefundCheck,
  moveHistoryTo,
  lastPeriodMiddle,
  memberWithLoss,
  setRefundSettings,
  receiveRefund,
  type RefundSystem,
  readRefundAmounts,
  startRefundSystem,
} from './refund-fixtures.ts';

let refundSystem: RefundSystem;
before(async () => {
  refundSystem = await startRefundSystem();
});
after(() => refundSystem?.close());
beforeEach(() => setRefundSettings(refundSystem));

describe('refunds of losses', () => {
  test("the percentage of the last closed week's losses is refunded once, with its condition [R-REF-02]", async () => {
    const member = await memberWithLoss(refundSystem, 1_000, 990);
    const before = await readRefundCheck(refundSystem, member);
    assert.equal(before.result, true);
    assert.equal(before.refundAmount, 49.5);
    assert.equal(before.condition, null);
    const { status, body } = await receiveRefund(refundSystem, member);
    assert.deepEqual([status, body.message, body.refundAmount], [200, 'REFUND_RECEIVED', 49.5]);
    assert.equal(await readFreeAmount(refundSystem.system, member), 49.5);
    assert.deepEqual(await readRefundAmounts(refundSystem, member), [49.5]);
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    const after = await readRefundCheck(refundSystem, member);
    assert.deepEqual([after.result, after.refundAmount, after.unfinished], [false, 0, false]);
    const { kind, target, floor, current } = after.condition ?? assert.fail('a condition is open');
    assert.deepEqual({ kind, target, floor, current }, { kind: 'REFUND', target: 99, floor: 4.95, current: 49.5 });
    const { statements } = (await refundSystem.system.api('POST /api/statement', { token: member.token, body: {} }))
      .body;
    assert.deepEqual([statements[0].amount, statements[0].reference], [49.5, body.reference]);
  });

  test('a period already refunded is NO_REFUND before any condition, with money left or an active bonus [R-REF-02] [R-NET-06]', async () => {
    await setRefundSettings(refundSystem, { floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await memberWithLoss(refundSystem, 1_000, 990);
    assert.equal((await receiveRefund(refundSystem, member)).status, 200);
    // The refund itself exceeds the allowed remaining money.
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    await depositToWallet(refundSystem.system, refundSystem.ledger, member, 500);
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    const code = await insertOffer(refundSystem.system, { rest: 1_000_00n, windowHours: 8_760 });
    assert.equal((await receiveBonus(refundSystem.system, member, code)).status, 200);
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    assert.deepEqual(await readRefundAmounts(refundSystem, member), [49.5]);
  });

  test('thirty concurrent calls receive one refund [R-REF-02]', async () => {
    const member = await memberWithLoss(refundSystem, 400, 400);
    const replies = await Promise.all(Array.from({ length: 30 }, () => receiveRefund(refundSystem, member)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertRefused(reply, 'NO_REFUND', 'RECEIVED');
    assert.deepEqual(await readGrantedAmounts(refundSystem.system, member.id, 'cost:refund'), {
      times: 1,
      amount: '2000',
    });
    assert.deepEqual(await readRefundAmounts(refundSystem, member), [20]);
  });

  test('a refund programme that is off, money left, no loss, and a loss too small each have their code, in this order [R-REF-02] [R-NET-06]', async () => {
    await setRefundSettings(refundSystem, { isActive: false, floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await newPlayer(refundSystem.system);
    await depositToWallet(refundSystem.system, refundSystem.ledger, member, 1_000);
    await moveHistoryTo(refundSystem, member.id, await lastPeriodMiddle(refundSystem, member));
    assertRefused(await receiveRefund(refundSystem, member), 'REFUND_INACTIVE');
    assert.equal((await readRefundCheck(refundSystem, member)).result, false);
    await setRefundSettings(refundSystem, { floor: { BAHT: '20.00', LAK: '0.00' } });
    assertRefused(await receiveRefund(refundSystem, member), 'REFUND_CONDITION', 'MONEY_LEFT');
    await setRefundSettings(refundSystem);
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'NO_LOSS');
    await playGameRound(refundSystem.system, member, { stake: 19.99, win: 0 });
    await moveHistoryTo(refundSystem, member.id, await lastPeriodMiddle(refundSystem, member));
    assertRefused(await receiveRefund(refundSystem, member), 'REFUND_MINIMUM');
    assert.equal((await readRefundCheck(refundSystem, member)).result, false);
    assertRefused(await addRefundToWallet(refundSystem, member), 'NO_REFUND', 'NOTHING_OPEN');
    assert.deepEqual(await readGrantedAmounts(refundSystem.system, member.id, 'cost:refund'), {
      times: 0,
      amount: '0',
    });
    await playGameRound(refundSystem.system, member, { stake: 0.01, win: 0 });
    await moveHistoryTo(refundSystem, member.id, await lastPeriodMiddle(refundSystem, member));
    assert.equal((await receiveRefund(refundSystem, member)).body.refundAmount, 1);
  });

  test('stakes in open bets are not losses yet, and with a silent game the losses are unknown [R-REF-02]', async () => {
    await setRefundSettings(refundSystem, { floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await memberWithLoss(refundSystem, 1_000, 970);
    await openBet(refundSystem.system, 'pg', member.username, '30');
    await refreshBalances(refundSystem.system, member);
    assertRefused(await receiveRefund(refundSystem, member), 'REFUND_CONDITION', 'OPEN_BETS');
    const otherMember = await memberWithLoss(refundSystem, 1_000, 990);
    await failProvider(refundSystem.system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 100 });
    assertRefused(await receiveRefund(refundSystem, otherMember), 'REFUND_CONDITION', 'GAMES_NOT_KNOWN');
    await clearProviderFaults(refundSystem.system, 'pg');
    assert.equal((await receiveRefund(refundSystem, otherMember)).status, 200);
  });

  test('a refund does not count as lost a stake that is returned after the period, or money won back before the refund [R-REF-02]', async () => {
    const member = await newPlayer(refundSystem.system);
    await depositToWallet(refundSystem.system, refundSystem.ledger, member, 1_000);
    await playGameRound(refundSystem.system, member, { stake: 300, win: 0 });
    const takeBack = await openBet(refundSystem.system, 'pg', member.username, '700');
    await refreshBalances(refundSystem.system, member);
    const period = await lastPeriodMiddle(refundSystem, member);
    await moveHistoryTo(refundSystem, member.id, period);
    /** The database's own time may be in the period, depending on the day of the week. */
    const moveHistoryToNow = () => moveHistoryTo(refundSystem, member.id, refundSystem.clock.now(), period);
    await takeBack();
    await refreshBalances(refundSystem.system, member);
    await moveHistoryToNow();
    assert.equal((await readRefundCheck(refundSystem, member)).refundAmount, 15);
    await playGameRound(refundSystem.system, member, { stake: 10, win: 310 });
    await moveHistoryToNow();
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'NO_LOSS');
    await playGameRound(refundSystem.system, member, { stake: 200, win: 0 });
    await moveHistoryToNow();
    const { status, body } = await receiveRefund(refundSystem, member);
    assert.deepEqual([status, body.refundAmount], [200, 10]);
  });
});

describe('periods and sums of a refund', () => {
  test('an active bonus, and one used in the period, block the refund [R-REF-02]', async () => {
    const member = await memberWithLoss(refundSystem, 500, 500);
    const { system } = refundSystem;
    const { token } = member;
    const period = await lastPeriodMiddle(refundSystem, member);
    await fundWallet(refundSystem.ledger, member.id, '100');
    await moveHistoryTo(refundSystem, member.id, refundSystem.clock.now(), period);
    const activateOptions = { token, params: { code: 'WELCOME' } };
    const activateReply = await system.api('GET /api/bonus/activate/{code}', activateOptions);
    assert.equal(activateReply.status, 200, JSON.stringify(activateReply.body));
    const { bonus, blockedBy } = await readRefundCheck(refundSystem, member);
    assert.deepEqual({ bonus, blockedBy }, { bonus: true, blockedBy: 'BONUS_ACTIVE' });
    assertRefused(await receiveRefund(refundSystem, member), 'REFUND_CONDITION', 'BONUS_ACTIVE');
    assert.equal((await system.api('GET /api/bonus/clear', { token })).status, 200);
    const insertUsedBonus = (createdAt: Date, endedAt: Date) =>
      system.database.query(
        `with g as (update incentive_grant set created_at = $2 where member_id = $1 returning id)
         update incentive_condition set ended_at = $3 from g where incentive_condition.id = g.id`,
        [member.id, createdAt, endedAt],
      );
    const before = new Date(period.getTime() - 7 * 24 * 60 * 60_000);
    for (const [from, to] of [
      [period, refundSystem.clock.now()],
      [before, period],
      [before, refundSystem.clock.now()],
    ] as const) {
      await insertUsedBonus(from, to);
      assert.equal((await readRefundCheck(refundSystem, member)).blockedBy, 'BONUS_USED');
      assertRefused(await receiveRefund(refundSystem, member), 'REFUND_CONDITION', 'BONUS_USED');
    }
    await insertUsedBonus(before, before);
    assert.equal((await readRefundCheck(refundSystem, member)).blockedBy, null);
    assert.equal((await receiveRefund(refundSystem, member)).body.refundAmount, 25);
  });

  test("refund periods are days and weeks of Bangkok, from their first moment to before the next period's [R-REF-02]", async () => {
    const member = await memberWithLoss(refundSystem, 1_000, 1_000);
    const weekCheck = await readRefundCheck(refundSystem, member);
    // A Monday at midnight, seven hours ahead of UTC.
    for (const border of [weekCheck.periodFrom, weekCheck.periodTo]) assert.match(border, /T17:00:00\.000Z$/);
    assert.equal(new Date(weekCheck.periodFrom).getUTCDay(), 0);
    assert.equal(Date.parse(weekCheck.periodTo) - Date.parse(weekCheck.periodFrom), 7 * 24 * 60 * 60_000);
    for (const [period, { periodFrom, periodTo }] of [
      ['week', weekCheck],
      [
        'day',
        await setRefundSettings(refundSystem, { period: 'day' }).then(() => readRefundCheck(refundSystem, member)),
      ],
    ] as const) {
      await setRefundSettings(refundSystem, { period });
      for (const [moment, isIn] of [
        [Date.parse(periodFrom) - 1, false],
        [Date.parse(periodFrom), true],
        [Date.parse(periodTo) - 1, true],
        [Date.parse(periodTo), false],
      ] as const) {
        await moveHistoryTo(refundSystem, member.id, new Date(moment));
        assert.equal(
          (await readRefundCheck(refundSystem, member)).refundAmount,
          isIn ? 50 : 0,
          `${period} ${moment - Date.parse(periodTo)}`,
        );
      }
    }
  });
});

describe('limits of a refund', () => {
  test('a refunded week is not refunded again by days when the operator changes the period [R-REF-02]', async () => {
    const member = await memberWithLoss(refundSystem, 1_000, 1_000);
    const { periodTo } = await readRefundCheck(refundSystem, member);
    assert.equal((await receiveRefund(refundSystem, member)).status, 200);
    // Back to the first day of this week: the previous day belonged to the last week.
    const backMs = refundSystem.clock.now().getTime() - Date.parse(periodTo) - 60_000;
    refundSystem.clock.advance(-backMs);
    try {
      await setRefundSettings(refundSystem, { period: 'day' });
      await moveHistoryTo(refundSystem, member.id, new Date(Date.parse(periodTo) - 1));
      assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    } finally {
      refundSystem.clock.advance(backMs);
    }
  });

  test("a refund never exceeds deposits less returns, nor losses in games; bonuses are not the member's money [R-REF-02]", async () => {
    const amountOf = async (member: Awaited<ReturnType<typeof memberWithLoss>>) => {
      await moveHistoryTo(refundSystem, member.id, await lastPeriodMiddle(refundSystem, member));
      return (await readRefundCheck(refundSystem, member)).refundAmount;
    };
    const memberWithHold = await memberWithLoss(refundSystem, 1_000, 100);
    assert.equal(await amountOf(memberWithHold), 5, 'what still lies in the game is not lost');
    const winner = await memberWithLoss(refundSystem, 100, -900);
    assert.equal(await amountOf(winner), 0, 'who has won has lost nothing');
    const luckyMember = await newPlayer(refundSystem.system);
    await depositToWallet(refundSystem.system, refundSystem.ledger, luckyMember, 100);
    await playGameRound(refundSystem.system, luckyMember, { stake: 10, win: 510 }, { stake: 550, win: 0 });
    assert.equal(await amountOf(luckyMember), 2.5, 'winnings that were lost again were never paid in');
    const giftedMember = await memberWithLoss(refundSystem, 200, 200);
    await refundSystem.ledger.post({
      key: `test:gift:${giftedMember.id}`,
      type: 'transfer',
      kind: 'bonus',
      memberId: giftedMember.id,
      debit: { houseAccount: 'cost:bonus' },
      credit: { member: giftedMember.id, kind: 'WALLET' },
      amount: minor(15_000n),
      reference: 'GIFT',
      actor: 'test',
    });
    assert.equal(await amountOf(giftedMember), 2.5, 'of 200 that were lost 150 came from the operator');
    const memberWithTransfer = await memberWithLoss(refundSystem, 1_000, 0);
    assert.equal(await amountOf(memberWithTransfer), 0, 'an empty wallet is no loss while the money lies in a game');
    await setRefundSettings(refundSystem, { maximum: { BAHT: '33.33', LAK: '1.00' } });
    assert.equal(await amountOf(await memberWithLoss(refundSystem, 1_000, 1_000)), 33.33);
    await setRefundSettings(refundSystem, { percent: 0.33 });
    assert.equal(await amountOf(await memberWithLoss(refundSystem, 1_001, 1_000.01)), 3.3, 'rounded down');
  });

  test('money withdrawn in the period is not lost; money held for a withdrawal has not left [R-REF-02]', async () => {
    const member = await newPlayer(refundSystem.system);
    const { ledger } = refundSystem;
    await fundWallet(ledger, member.id, '400');
    const period = await lastPeriodMiddle(refundSystem, member);
    const before = new Date(period.getTime() - 7 * 24 * 60 * 60_000);
    await moveHistoryTo(refundSystem, member.id, before);
    await fundWallet(ledger, member.id, '100');
    await transferToGame(refundSystem.system, member, 300);
    await playGameRound(refundSystem.system, member, { stake: 300, win: 0 });
    const holdKey = `test:hold:${member.id}`;
    const payoutOperation = {
      kind: 'withdraw',
      memberId: member.id,
      debit: { member: member.id, kind: 'WALLET' },
      credit: { houseAccount: 'bank' },
      amount: minor(5_000n),
      reference: 'W1',
      actor: 'test',
    } as const;
    await ledger.post({ ...payoutOperation, type: 'hold', key: holdKey });
    await moveHistoryTo(refundSystem, member.id, period, before);
    assert.equal((await readRefundCheck(refundSystem, member)).refundAmount, 5, 'of the 100 that came in');
    await ledger.post({ ...payoutOperation, type: 'post', key: `${holdKey}:post`, pendingKey: holdKey });
    await moveHistoryTo(refundSystem, member.id, refundSystem.clock.now(), period);
    assert.equal(
      (await readRefundCheck(refundSystem, member)).refundAmount,
      2.5,
      'of the 50 that stayed, also when it leaves later',
    );
    await moveHistoryTo(refundSystem, member.id, period, before);
    assert.equal((await readRefundCheck(refundSystem, member)).refundAmount, 2.5, 'of the 50 that stayed');
    await fundWallet(ledger, member.id, '100');
    await moveHistoryTo(refundSystem, member.id, refundSystem.clock.now(), period);
    assert.equal(
      (await readRefundCheck(refundSystem, member)).refundAmount,
      2.5,
      'later deposits are of another period',
    );
  });
});

describe('receiving a refund', () => {
  test('a refund whose credit failed is completed by addWallet, once [R-REF-02] [R-NET-06]', async () => {
    const member = await memberWithLoss(refundSystem, 1_000, 1_000);
    const allowCredits = await refuseCredits(refundSystem.system);
    assertRefused(await receiveRefund(refundSystem, member), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    await postponeOpenGrants(refundSystem.system);
    const unfinishedCheck = await readRefundCheck(refundSystem, member);
    assert.deepEqual(
      [unfinishedCheck.result, unfinishedCheck.refundAmount, unfinishedCheck.unfinished],
      [false, 50, true],
    );
    assertRefused(await addRefundToWallet(refundSystem, member), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    assert.deepEqual(await readRefundAmounts(refundSystem, member), [], 'it was not received yet');
    assert.equal(await readFreeAmount(refundSystem.system, member), 0);
    await allowCredits();
    const replies = await Promise.all(Array.from({ length: 30 }, () => addRefundToWallet(refundSystem, member)));
    const [first, ...laterReplies] = replies.filter(({ status }) => status === 200);
    assert.equal(first?.body.refundAmount, 50);
    for (const { body } of laterReplies) assert.deepEqual(body, first.body, 'the same refund');
    for (const reply of replies.filter(({ status }) => status !== 200))
      assertRefused(reply, 'NO_REFUND', 'NOTHING_OPEN');
    assert.equal(await readFreeAmount(refundSystem.system, member), 50);
    assert.deepEqual(await readGrantedAmounts(refundSystem.system, member.id, 'cost:refund'), {
      times: 1,
      amount: '5000',
    });
    assert.deepEqual(await readRefundAmounts(refundSystem, member), [50]);
    assertRefused(await addRefundToWallet(refundSystem, member), 'NO_REFUND', 'NOTHING_OPEN');
    assertRefused(await receiveRefund(refundSystem, member), 'NO_REFUND', 'RECEIVED');
    assert.equal((await readRefundCheck(refundSystem, member)).unfinished, false);
  });

  test('of a refund and a withdrawal at the same moment exactly one succeeds [R-REF-02]', async () => {
    await setPayoutDelay(refundSystem.system, 24 * 60 * 60_000);
    for (let round = 0; round < 4; round += 1) {
      const member = await memberWithLoss(refundSystem, 1_000, 1_000);
      const period = await lastPeriodMiddle(refundSystem, member);
      await fundWallet(refundSystem.ledger, member.id, '150');
      await moveHistoryTo(refundSystem, member.id, refundSystem.clock.now(), period);
      const calls = [() => receiveRefund(refundSystem, member), () => withdraw(refundSystem.system, member, 100)];
      const order = round % 2 === 0 ? calls : calls.toReversed();
      const replies = await Promise.all([...order, ...order].map((sendCall) => sendCall()));
      const acceptedReplies = replies.filter(({ status }) => status === 200);
      assert.equal(acceptedReplies.length, 1, JSON.stringify(replies.map(({ body }) => body)));
      const received = acceptedReplies[0]?.body.refundAmount !== undefined;
      assert.equal((await readGrantedAmounts(refundSystem.system, member.id, 'cost:refund')).times, received ? 1 : 0);
      assert.equal((await readRefundAmounts(refundSystem, member)).length, received ? 1 : 0);
    }
  });

  test("the refund info has the enforced values, in the member's language [R-REF-02]", async () => {
    const member = await newPlayer(refundSystem.system);
    assert.equal((await readRefundCheck(refundSystem, member, 'EN')).info, '5%, ฿5,000.00 at most, {{other}}');
    assert.equal((await readRefundCheck(refundSystem, member, 'LA')).info, 'ຄືນ 5%');
    await setRefundSettings(refundSystem, { percent: 7.25, maximum: { BAHT: '1234567.50', LAK: '1.00' } });
    assert.equal((await readRefundCheck(refundSystem, member, 'EN')).info, '7.25%, ฿1,234,567.50 at most, {{other}}');
  });

  test('a member with a closed wallet receives no refund [R-REF-02]', async () => {
    const member = await memberWithLoss(refundSystem, 1_000, 1_000);
    await closeWallet(refundSystem.system, member);
    assertRefused(await receiveRefund(refundSystem, member), 'NO_WALLET', 'SUSPENDED');
    assertRefused(await addRefundToWallet(refundSystem, member), 'NO_WALLET', 'SUSPENDED');
    assert.equal((await readRefundCheck(refundSystem, member)).result, true, 'and may look');
  });

  test("operators have a banner before each of the two dialogs, in the member's language", async () => {
    const { token } = await newPlayer(refundSystem.system);
    for (const descriptionKind of ['refund', 'invite']) {
      const descriptionIn = async (language: string) => {
        const cookie = `${LANGUAGE_COOKIE}=${language}`;
        return (await refundSystem.system.api(`GET /api/${descriptionKind}/banners`, { token, headers: { cookie } }))
          .body;
      };
      const [thaiDescription, englishDescription] = [await descriptionIn('TH'), await descriptionIn('EN')];
      assert.equal(thaiDescription.length, 1);
      assert.equal(thaiDescription[0].image, `/banners/${descriptionKind}-1.svg`);
      assert.notEqual(thaiDescription[0].html, englishDescription[0].html);
    }
    await refundSystem.system.database.query(
      `update operator_data_banner set is_enabled = false where kind = 'refund'`,
    );
    await waitForSettingsReload();
    assert.deepEqual((await refundSystem.system.api('GET /api/refund/banners', { token })).body, []);
  });
});
