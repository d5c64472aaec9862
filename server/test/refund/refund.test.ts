import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { LANGUAGE_COOKIE } from '@krapao/contract/languages';
import { minor } from '@krapao/contract/money';
import { makeOffer, receive as receiveBonus } from '../bonus/bonus-world.ts';
import { behave, misbehave, openBet } from '../harness/games.ts';
import { fund } from '../harness/money.ts';
import { closeWallet, noticed } from '../harness/operator.ts';
import {
  bringIn,
  freeOf,
  givenTo,
  leaveOpen,
  newPlayer,
  playOut,
  refuseCredits,
  seen,
  toGame,
} from '../harness/playing.ts';
import { assertRefused } from '../harness/refused.ts';
import { payoutsTake, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  addToWallet,
  check,
  happenedAt,
  lastPeriod,
  loser,
  programme,
  receive,
  type RefundWorld,
  refundsOf,
  startRefunds,
} from './refund-world.ts';

let world: RefundWorld;
before(async () => {
  world = await startRefunds();
});
after(() => world?.close());
beforeEach(() => programme(world));

describe('refunds of losses', () => {
  test('the percentage of what was lost in the last closed week comes back once, with its condition [R-REF-02]', async () => {
    const member = await loser(world, 1_000, 990);
    const before = await check(world, member);
    assert.equal(before.result, true);
    assert.equal(before.refundAmount, 49.5);
    assert.equal(before.condition, null);
    const { status, body } = await receive(world, member);
    assert.deepEqual([status, body.message, body.refundAmount], [200, 'REFUND_RECEIVED', 49.5]);
    assert.equal(await freeOf(world.system, member), 49.5);
    assert.deepEqual(await refundsOf(world, member), [49.5]);
    assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    const after = await check(world, member);
    assert.deepEqual([after.result, after.refundAmount, after.unfinished], [false, 0, false]);
    const { kind, target, floor, current } = after.condition ?? assert.fail('a condition is open');
    assert.deepEqual({ kind, target, floor, current }, { kind: 'REFUND', target: 99, floor: 4.95, current: 49.5 });
    const { statements } = (await world.system.api('POST /api/statement', { token: member.token, body: {} })).body;
    assert.deepEqual([statements[0].amount, statements[0].reference], [49.5, body.reference]);
  });

  test('a period that was received answers NO_REFUND before any condition: with money left, and with a bonus in use [R-REF-02] [R-NET-06]', async () => {
    await programme(world, { floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await loser(world, 1_000, 990);
    assert.equal((await receive(world, member)).status, 200);
    // The refund itself is more than may be left.
    assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    await bringIn(world.system, world.ledger, member, 500);
    assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    const code = await makeOffer(world.system, { rest: 1_000_00n, windowHours: 8_760 });
    assert.equal((await receiveBonus(world.system, member, code)).status, 200);
    assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    assert.deepEqual(await refundsOf(world, member), [49.5]);
  });

  test('thirty calls at once receive one refund [R-REF-02]', async () => {
    const member = await loser(world, 400, 400);
    const replies = await Promise.all(Array.from({ length: 30 }, () => receive(world, member)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertRefused(reply, 'NO_REFUND', 'RECEIVED');
    assert.deepEqual(await givenTo(world.system, member.id, 'cost:refund'), { times: 1, amount: '2000' });
    assert.deepEqual(await refundsOf(world, member), [20]);
  });

  test('a programme that is off, money that is left, a loss that is none, one that is too small: each has its code, in this order [R-REF-02] [R-NET-06]', async () => {
    await programme(world, { isActive: false, floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await newPlayer(world.system);
    await bringIn(world.system, world.ledger, member, 1_000);
    await happenedAt(world, member.id, await lastPeriod(world, member));
    assertRefused(await receive(world, member), 'REFUND_INACTIVE');
    assert.equal((await check(world, member)).result, false);
    await programme(world, { floor: { BAHT: '20.00', LAK: '0.00' } });
    assertRefused(await receive(world, member), 'REFUND_CONDITION', 'MONEY_LEFT');
    await programme(world);
    assertRefused(await receive(world, member), 'NO_REFUND', 'NO_LOSS');
    await playOut(world.system, member, { stake: 19.99, win: 0 });
    await happenedAt(world, member.id, await lastPeriod(world, member));
    assertRefused(await receive(world, member), 'REFUND_MINIMUM');
    assert.equal((await check(world, member)).result, false);
    assertRefused(await addToWallet(world, member), 'NO_REFUND', 'NOTHING_OPEN');
    assert.deepEqual(await givenTo(world.system, member.id, 'cost:refund'), { times: 0, amount: '0' });
    await playOut(world.system, member, { stake: 0.01, win: 0 });
    await happenedAt(world, member.id, await lastPeriod(world, member));
    assert.equal((await receive(world, member)).body.refundAmount, 1);
  });

  test('what is staked in open bets is no loss yet, and a game that does not answer is unknown [R-REF-02]', async () => {
    await programme(world, { floor: { BAHT: '20.00', LAK: '0.00' } });
    const member = await loser(world, 1_000, 970);
    await openBet(world.system, 'pg', member.username, '30');
    await seen(world.system, member);
    assertRefused(await receive(world, member), 'REFUND_CONDITION', 'OPEN_BETS');
    const other = await loser(world, 1_000, 990);
    await misbehave(world.system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 100 });
    assertRefused(await receive(world, other), 'REFUND_CONDITION', 'GAMES_NOT_KNOWN');
    await behave(world.system, 'pg');
    assert.equal((await receive(world, other)).status, 200);
  });

  test('a stake that is back after the end of the period was not lost in it, nor what is won back until it is received [R-REF-02]', async () => {
    const member = await newPlayer(world.system);
    await bringIn(world.system, world.ledger, member, 1_000);
    await playOut(world.system, member, { stake: 300, win: 0 });
    const takeBack = await openBet(world.system, 'pg', member.username, '700');
    await seen(world.system, member);
    const period = await lastPeriod(world, member);
    await happenedAt(world, member.id, period);
    /** The database's own time may lie in the period, as the day of the week wants it. */
    const happenedSince = () => happenedAt(world, member.id, world.clock.now(), period);
    await takeBack();
    await seen(world.system, member);
    await happenedSince();
    assert.equal((await check(world, member)).refundAmount, 15);
    await playOut(world.system, member, { stake: 10, win: 310 });
    await happenedSince();
    assertRefused(await receive(world, member), 'NO_REFUND', 'NO_LOSS');
    await playOut(world.system, member, { stake: 200, win: 0 });
    await happenedSince();
    const { status, body } = await receive(world, member);
    assert.deepEqual([status, body.refundAmount], [200, 10]);
  });
});

describe('periods and sums of a refund', () => {
  test('a bonus that is active, and one that was used in the period, keep a member from receiving [R-REF-02]', async () => {
    const member = await loser(world, 500, 500);
    const { system } = world;
    const { token } = member;
    const period = await lastPeriod(world, member);
    await fund(world.ledger, member.id, '100');
    await happenedAt(world, member.id, world.clock.now(), period);
    const activate = { token, params: { code: 'WELCOME' } };
    const activated = await system.api('GET /api/bonus/activate/{code}', activate);
    assert.equal(activated.status, 200, JSON.stringify(activated.body));
    const { bonus, blockedBy } = await check(world, member);
    assert.deepEqual({ bonus, blockedBy }, { bonus: true, blockedBy: 'BONUS_ACTIVE' });
    assertRefused(await receive(world, member), 'REFUND_CONDITION', 'BONUS_ACTIVE');
    assert.equal((await system.api('GET /api/bonus/clear', { token })).status, 200);
    const wasGiven = (createdAt: Date, endedAt: Date) =>
      system.database.query(
        `with g as (update incentive_grant set created_at = $2 where member_id = $1 returning id)
         update incentive_condition set ended_at = $3 from g where incentive_condition.id = g.id`,
        [member.id, createdAt, endedAt],
      );
    const before = new Date(period.getTime() - 7 * 24 * 60 * 60_000);
    for (const [from, to] of [
      [period, world.clock.now()],
      [before, period],
      [before, world.clock.now()],
    ] as const) {
      await wasGiven(from, to);
      assert.equal((await check(world, member)).blockedBy, 'BONUS_USED');
      assertRefused(await receive(world, member), 'REFUND_CONDITION', 'BONUS_USED');
    }
    await wasGiven(before, before);
    assert.equal((await check(world, member)).blockedBy, null);
    assert.equal((await receive(world, member)).body.refundAmount, 25);
  });

  test('the periods are days and weeks of Bangkok: what happened at its first moment is in it, at its last is not [R-REF-02]', async () => {
    const member = await loser(world, 1_000, 1_000);
    const week = await check(world, member);
    // A Monday at midnight, seven hours ahead of UTC.
    for (const border of [week.periodFrom, week.periodTo]) assert.match(border, /T17:00:00\.000Z$/);
    assert.equal(new Date(week.periodFrom).getUTCDay(), 0);
    assert.equal(Date.parse(week.periodTo) - Date.parse(week.periodFrom), 7 * 24 * 60 * 60_000);
    for (const [period, { periodFrom, periodTo }] of [
      ['week', week],
      ['day', await programme(world, { period: 'day' }).then(() => check(world, member))],
    ] as const) {
      await programme(world, { period });
      for (const [moment, isIn] of [
        [Date.parse(periodFrom) - 1, false],
        [Date.parse(periodFrom), true],
        [Date.parse(periodTo) - 1, true],
        [Date.parse(periodTo), false],
      ] as const) {
        await happenedAt(world, member.id, new Date(moment));
        assert.equal(
          (await check(world, member)).refundAmount,
          isIn ? 50 : 0,
          `${period} ${moment - Date.parse(periodTo)}`,
        );
      }
    }
  });
});

describe('limits of a refund', () => {
  test('a week that was paid is not paid again by its days when the operator changes the period [R-REF-02]', async () => {
    const member = await loser(world, 1_000, 1_000);
    const { periodTo } = await check(world, member);
    assert.equal((await receive(world, member)).status, 200);
    // Back to the first day of this week: the day before it was in the week.
    const back = world.clock.now().getTime() - Date.parse(periodTo) - 60_000;
    world.clock.advance(-back);
    try {
      await programme(world, { period: 'day' });
      await happenedAt(world, member.id, new Date(Date.parse(periodTo) - 1));
      assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    } finally {
      world.clock.advance(back);
    }
  });

  test('never more than was paid in and not got back, nor than was lost in games; bonuses are no money of the member [R-REF-02]', async () => {
    const amountOf = async (member: Awaited<ReturnType<typeof loser>>) => {
      await happenedAt(world, member.id, await lastPeriod(world, member));
      return (await check(world, member)).refundAmount;
    };
    const held = await loser(world, 1_000, 100);
    assert.equal(await amountOf(held), 5, 'what still lies in the game is not lost');
    const winner = await loser(world, 100, -900);
    assert.equal(await amountOf(winner), 0, 'who has won has lost nothing');
    const lucky = await newPlayer(world.system);
    await bringIn(world.system, world.ledger, lucky, 100);
    await playOut(world.system, lucky, { stake: 10, win: 510 }, { stake: 550, win: 0 });
    assert.equal(await amountOf(lucky), 2.5, 'winnings that were lost again were never paid in');
    const gifted = await loser(world, 200, 200);
    await world.ledger.post({
      key: `test:gift:${gifted.id}`,
      type: 'transfer',
      kind: 'bonus',
      memberId: gifted.id,
      debit: { house: 'cost:bonus' },
      credit: { member: gifted.id, kind: 'WALLET' },
      amount: minor(15_000n),
      reference: 'GIFT',
      actor: 'test',
    });
    assert.equal(await amountOf(gifted), 2.5, 'of 200 that were lost 150 came from the house');
    const moved = await loser(world, 1_000, 0);
    assert.equal(await amountOf(moved), 0, 'an empty wallet is no loss while the money lies in a game');
    await programme(world, { maximum: { BAHT: '33.33', LAK: '1.00' } });
    assert.equal(await amountOf(await loser(world, 1_000, 1_000)), 33.33);
    await programme(world, { percent: 0.33 });
    assert.equal(await amountOf(await loser(world, 1_001, 1_000.01)), 3.3, 'rounded down');
  });

  test('money that was withdrawn in the period was not lost; what is only held for a withdrawal has not left [R-REF-02]', async () => {
    const member = await newPlayer(world.system);
    const { ledger } = world;
    await fund(ledger, member.id, '400');
    const period = await lastPeriod(world, member);
    const before = new Date(period.getTime() - 7 * 24 * 60 * 60_000);
    await happenedAt(world, member.id, before);
    await fund(ledger, member.id, '100');
    await toGame(world.system, member, 300);
    await playOut(world.system, member, { stake: 300, win: 0 });
    const held = `test:hold:${member.id}`;
    const payout = {
      kind: 'withdraw',
      memberId: member.id,
      debit: { member: member.id, kind: 'WALLET' },
      credit: { house: 'bank' },
      amount: minor(5_000n),
      reference: 'W1',
      actor: 'test',
    } as const;
    await ledger.post({ ...payout, type: 'hold', key: held });
    await happenedAt(world, member.id, period, before);
    assert.equal((await check(world, member)).refundAmount, 5, 'of the 100 that came in');
    await ledger.post({ ...payout, type: 'post', key: `${held}:post`, pendingKey: held });
    await happenedAt(world, member.id, world.clock.now(), period);
    assert.equal((await check(world, member)).refundAmount, 2.5, 'of the 50 that stayed, also when it leaves later');
    await happenedAt(world, member.id, period, before);
    assert.equal((await check(world, member)).refundAmount, 2.5, 'of the 50 that stayed');
    await fund(ledger, member.id, '100');
    await happenedAt(world, member.id, world.clock.now(), period);
    assert.equal((await check(world, member)).refundAmount, 2.5, 'later deposits are of another period');
  });
});

describe('receiving a refund', () => {
  test('a refund whose credit did not go through is finished by addWallet, once [R-REF-02] [R-NET-06]', async () => {
    const member = await loser(world, 1_000, 1_000);
    const allow = await refuseCredits(world.system);
    assertRefused(await receive(world, member), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    await leaveOpen(world.system);
    const unfinished = await check(world, member);
    assert.deepEqual([unfinished.result, unfinished.refundAmount, unfinished.unfinished], [false, 50, true]);
    assertRefused(await addToWallet(world, member), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    assert.deepEqual(await refundsOf(world, member), [], 'it was not received yet');
    assert.equal(await freeOf(world.system, member), 0);
    await allow();
    const replies = await Promise.all(Array.from({ length: 30 }, () => addToWallet(world, member)));
    const [first, ...same] = replies.filter(({ status }) => status === 200);
    assert.equal(first?.body.refundAmount, 50);
    for (const { body } of same) assert.deepEqual(body, first.body, 'the same refund');
    for (const reply of replies.filter(({ status }) => status !== 200))
      assertRefused(reply, 'NO_REFUND', 'NOTHING_OPEN');
    assert.equal(await freeOf(world.system, member), 50);
    assert.deepEqual(await givenTo(world.system, member.id, 'cost:refund'), { times: 1, amount: '5000' });
    assert.deepEqual(await refundsOf(world, member), [50]);
    assertRefused(await addToWallet(world, member), 'NO_REFUND', 'NOTHING_OPEN');
    assertRefused(await receive(world, member), 'NO_REFUND', 'RECEIVED');
    assert.equal((await check(world, member)).unfinished, false);
  });

  test('of a refund and a withdrawal at the same moment one happens, never both [R-REF-02]', async () => {
    await payoutsTake(world.system, 24 * 60 * 60_000);
    for (let round = 0; round < 4; round += 1) {
      const member = await loser(world, 1_000, 1_000);
      const period = await lastPeriod(world, member);
      await fund(world.ledger, member.id, '150');
      await happenedAt(world, member.id, world.clock.now(), period);
      const calls = [() => receive(world, member), () => withdraw(world.system, member, 100)];
      const order = round % 2 === 0 ? calls : calls.toReversed();
      const replies = await Promise.all([...order, ...order].map((call) => call()));
      const good = replies.filter(({ status }) => status === 200);
      assert.equal(good.length, 1, JSON.stringify(replies.map(({ body }) => body)));
      const received = good[0]?.body.refundAmount !== undefined;
      assert.equal((await givenTo(world.system, member.id, 'cost:refund')).times, received ? 1 : 0);
      assert.equal((await refundsOf(world, member)).length, received ? 1 : 0);
    }
  });

  test('the info carries the values that are enforced, in the language of the member [R-REF-02]', async () => {
    const member = await newPlayer(world.system);
    assert.equal((await check(world, member, 'EN')).info, '5%, ฿5,000.00 at most, {{other}}');
    assert.equal((await check(world, member, 'LA')).info, 'ຄືນ 5%');
    await programme(world, { percent: 7.25, maximum: { BAHT: '1234567.50', LAK: '1.00' } });
    assert.equal((await check(world, member, 'EN')).info, '7.25%, ฿1,234,567.50 at most, {{other}}');
  });

  test('a member whose wallet is closed receives nothing [R-REF-02]', async () => {
    const member = await loser(world, 1_000, 1_000);
    await closeWallet(world.system, member);
    assertRefused(await receive(world, member), 'NO_WALLET', 'SUSPENDED');
    assertRefused(await addToWallet(world, member), 'NO_WALLET', 'SUSPENDED');
    assert.equal((await check(world, member)).result, true, 'and may look');
  });

  test('the operator has a banner before each of the two dialogs, in the language of the member', async () => {
    const { token } = await newPlayer(world.system);
    for (const kind of ['refund', 'invite']) {
      const of = async (language: string) => {
        const cookie = `${LANGUAGE_COOKIE}=${language}`;
        return (await world.system.api(`GET /api/${kind}/banners`, { token, headers: { cookie } })).body;
      };
      const [thai, english] = [await of('TH'), await of('EN')];
      assert.equal(thai.length, 1);
      assert.equal(thai[0].image, `/banners/${kind}-1.svg`);
      assert.notEqual(thai[0].html, english[0].html);
    }
    await world.system.database.query(`update lookup_banner set is_enabled = false where kind = 'refund'`);
    await noticed();
    assert.deepEqual((await world.system.api('GET /api/refund/banners', { token })).body, []);
  });
});
