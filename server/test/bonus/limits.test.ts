import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { active, clear, listed, makeOffer, memberWith, receive, receivedTimes, redeem } from './bonus-world.ts';

const VOLLEY = 30;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Whatever else they have, and however far the clock is ahead of their deposits. */
const ANYHOW = { rest: 1_000_000_00n, windowHours: 8_760 };

let system: System;
let ledger: Ledger;
let clock: MovableClock;
before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  ledger = ledgerOf(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** On a new deposit, and cancelled immediately. */
const again = async (member: TestMember, code: string): Promise<ApiReply> => {
  await fund(ledger, member.id, '100.00');
  const reply = await receive(system, member, code);
  if (reply.status === 200) assert.equal((await clear(system, member)).status, 200);
  return reply;
};
const cardOf = async (member: TestMember, code: string) =>
  (await listed(system, member)).find((one) => one.code === code);
const countOf = (replies: readonly ApiReply[], message: string): number =>
  replies.filter(({ status, body }) => status !== 200 && body.message === message).length;

describe('how often a bonus is received', () => {
  test('thirty concurrent claims give once, and the others return that it is active [R-BON-03]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const code = await makeOffer(system, { maxReceived: 100 });
    const replies = await Promise.all(Array.from({ length: VOLLEY }, () => receive(system, member, code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(countOf(replies, 'BONUS_ALREADY_ACTIVE'), VOLLEY - 1);
    assert.equal(await receivedTimes(system, member.id), 1);
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '200.00');
    assertRefused(await receive(system, member, code), 'BONUS_ALREADY_ACTIVE');
  });

  test('thirty claims of six bonuses and promotions at the same moment give one of them [R-BON-03] [R-BON-05]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const codes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => makeOffer(system, { kind: index % 2 === 0 ? 'BONUS' : 'PROMOTION' })),
    );
    const asks = codes.map((code, index) => () => (index % 2 === 0 ? receive : redeem)(system, member, code));
    const replies = await Promise.all(
      Array.from({ length: VOLLEY / asks.length }, () => asks.map((ask) => ask())).flat(),
    );
    const granted = replies.filter((reply) => reply.status === 200);
    assert.equal(granted.length, 1);
    assert.equal(await receivedTimes(system, member.id), 1);
    const now = await active(system, member);
    assert.equal(now.code, granted[0]?.body.code, 'what is reported as active is what was given');
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '200.00');
  });

  test('thirty claims while it is given up again and again never go past the most of a member [R-BON-03]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const code = await makeOffer(system, { ...ANYHOW, maxReceived: 2 });
    for (let round = 0; round < 3; round += 1) {
      const asks = Array.from({ length: VOLLEY }, (_, index) =>
        index % 3 === 0 ? clear(system, member) : receive(system, member, code),
      );
      for (const { status, body } of await Promise.all(asks)) assert.ok(status < 500, JSON.stringify(body));
      await fund(ledger, member.id, '100.00');
    }
    // What was not received in that crowd still is, one after the other.
    await clear(system, member);
    let last = await again(member, code);
    for (let more = 0; last.status === 200 && more < 2; more += 1) last = await again(member, code);
    assertRefused(last, 'BONUS_MAX_CLAIMED');
    assert.equal(await receivedTimes(system, member.id), 2);
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });

  test('of ten members at the last one of a campaign one receives it: BONUS_FULL [R-BON-03] [R-NET-06]', async () => {
    const code = await makeOffer(system, { quota: 1 });
    const members = await Promise.all(Array.from({ length: 10 }, () => memberWith(system, ledger, '100.00')));
    const replies = await Promise.all(members.map((member) => receive(system, member, code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(countOf(replies, 'BONUS_FULL'), 9);
    const [loser] = members.filter((_, index) => replies[index]?.status !== 200);
    assert.ok(loser);
    const card = await cardOf(loser, code);
    assert.deepEqual([card.isFull, card.isExhausted, card.userBonus], [true, false, null]);
    // Nothing was used up: the same deposit earns another.
    assert.equal((await receive(system, loser, await makeOffer(system))).status, 200);
  });

  test('a budget is never gone past, and what is left of it still is given to whom it is enough for [R-BON-03]', async () => {
    const code = await makeOffer(system, { budget: 350_00n });
    const members = await Promise.all(Array.from({ length: 8 }, () => memberWith(system, ledger, '100.00')));
    const replies = await Promise.all(members.map((member) => receive(system, member, code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 3);
    assert.equal(countOf(replies, 'BONUS_FULL'), 5);
    const { rows } = await system.database.query<{ amount: bigint }>(
      'select given as amount from bonus_offer_amount where code = $1',
      [code],
    );
    assert.equal(rows[0]?.amount, 300_00n);
  });

  test('limit, day and week, over midnight and Monday of Bangkok, and with a clock that is put back [R-BON-03] [R-NET-06]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const once = await makeOffer(system, { ...ANYHOW, type: 'limit', maxReceived: 2 });
    const daily = await makeOffer(system, { ...ANYHOW, type: 'day', maxReceived: 1 });
    const weekly = await makeOffer(system, { ...ANYHOW, type: 'week', maxReceived: 2 });
    toSaturdayNight(clock);
    const isGiven = async (code: string): Promise<void> => {
      const reply = await again(member, code);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    };
    const isRefused = async (code: string): Promise<void> => {
      assert.equal((await cardOf(member, code)).isExhausted, true, 'the card says so before');
      assertRefused(await again(member, code), 'BONUS_MAX_CLAIMED');
    };
    for (const code of [daily, weekly, once, once]) await isGiven(code);
    for (const code of [daily, once]) await isRefused(code);
    // Sunday, ten past midnight.
    clock.advance(20 * MINUTE_MS);
    assert.equal((await cardOf(member, daily)).isExhausted, false);
    for (const code of [daily, weekly]) await isGiven(code);
    for (const code of [daily, weekly, once]) await isRefused(code);
    // Back on Saturday: what was given on Sunday counts.
    clock.advance(-20 * MINUTE_MS);
    for (const code of [daily, weekly]) await isRefused(code);
    // Monday, ten past midnight: a day and a week have begun.
    clock.advance(20 * MINUTE_MS + DAY_MS);
    for (const code of [daily, weekly, weekly]) await isGiven(code);
    for (const code of [daily, weekly, once]) await isRefused(code);
    clock.advance(-DAY_MS);
    for (const code of [daily, weekly]) await isRefused(code);
    clock.advance(DAY_MS);
    const { userBonus } = await cardOf(member, weekly);
    assert.equal(userBonus.received.length, 2, 'no more than count');
    assert.equal(userBonus.isActive, false);
  });

  test('a deposit older than the hours of the offer earns nothing [R-BON-03]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const [{ rows }, code] = await Promise.all([
      system.database.query<{ now: Date }>('select now() as now'),
      makeOffer(system, { windowHours: 2 }),
    ]);
    assert.ok(rows[0]);
    clock.advance(rows[0].now.getTime() + 121 * MINUTE_MS - clock.now().getTime());
    assertRefused(await receive(system, member, code), 'BONUS_CONDITION', 'NO_DEPOSIT');
    clock.advance(-2 * MINUTE_MS);
    assert.equal((await receive(system, member, code)).status, 200);
  });
});

/** Ten to midnight of the next Saturday in Bangkok. */
function toSaturdayNight(clock: MovableClock): void {
  const bangkok = new Date(clock.now().getTime() + 7 * 60 * MINUTE_MS);
  const midnight = Date.UTC(bangkok.getUTCFullYear(), bangkok.getUTCMonth(), bangkok.getUTCDate() + 1);
  const days = (6 - bangkok.getUTCDay() + 7) % 7;
  clock.advance(
    midnight +
      days * DAY_MS -
      10 * MINUTE_MS -
      bangkok.getTime() +
      (days === 0 && midnight - bangkok.getTime() < 15 * MINUTE_MS ? 7 * DAY_MS : 0),
  );
}
