import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  readActiveBonus,
  clearBonus,
  listBonuses,
  insertOffer,
  memberWithDeposits,
  receiveBonus,
  countReceived,
  redeemPromotion,
} from './bonus-fixtures.ts';

const CONCURRENT_REQUESTS = 30;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Terms without limits on other money and on the age of the deposit. */
const WITHOUT_LIMITS = { rest: 1_000_000_00n, windowHours: 8_760 };

let system: System;
let ledger: Ledger;
let clock: MovableClock;
before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** On a new deposit, and cancelled immediately. */
const receiveAgain = async (member: TestMember, code: string): Promise<ApiReply> => {
  await fundWallet(ledger, member.id, '100.00');
  const reply = await receiveBonus(system, member, code);
  if (reply.status === 200) assert.equal((await clearBonus(system, member)).status, 200);
  return reply;
};
const findBonusCard = async (member: TestMember, code: string) =>
  (await listBonuses(system, member)).find((bonus) => bonus.code === code);
const countOf = (replies: readonly ApiReply[], message: string): number =>
  replies.filter(({ status, body }) => status !== 200 && body.message === message).length;

describe('limits of receiving a bonus', () => {
  test('thirty concurrent claims of a bonus credit it once, and the others return the active bonus [R-BON-03]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const code = await insertOffer(system, { maxReceived: 100 });
    const replies = await Promise.all(
      Array.from({ length: CONCURRENT_REQUESTS }, () => receiveBonus(system, member, code)),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(countOf(replies, 'BONUS_ALREADY_ACTIVE'), CONCURRENT_REQUESTS - 1);
    assert.equal(await countReceived(system, member.id), 1);
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '200.00');
    assertRefused(await receiveBonus(system, member, code), 'BONUS_ALREADY_ACTIVE');
  });

  test('thirty concurrent claims of six bonuses and promotions credit one of them [R-BON-03] [R-BON-05]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const codes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => insertOffer(system, { kind: index % 2 === 0 ? 'BONUS' : 'PROMOTION' })),
    );
    const requests = codes.map(
      (code, index) => () => (index % 2 === 0 ? receiveBonus : redeemPromotion)(system, member, code),
    );
    const replies = await Promise.all(
      Array.from({ length: CONCURRENT_REQUESTS / requests.length }, () =>
        requests.map((sendRequest) => sendRequest()),
      ).flat(),
    );
    const acceptedReplies = replies.filter((reply) => reply.status === 200);
    assert.equal(acceptedReplies.length, 1);
    assert.equal(await countReceived(system, member.id), 1);
    const now = await readActiveBonus(system, member);
    assert.equal(now.code, acceptedReplies[0]?.body.code, 'what is reported as active is what was given');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '200.00');
  });

  test("thirty claims during repeated cancellations never exceed the member's limit of a bonus [R-BON-03]", async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const code = await insertOffer(system, { ...WITHOUT_LIMITS, maxReceived: 2 });
    for (let round = 0; round < 3; round += 1) {
      const requests = Array.from({ length: CONCURRENT_REQUESTS }, (_, index) =>
        index % 3 === 0 ? clearBonus(system, member) : receiveBonus(system, member, code),
      );
      for (const { status, body } of await Promise.all(requests)) assert.ok(status < 500, JSON.stringify(body));
      await fundWallet(ledger, member.id, '100.00');
    }
    // Bonuses that were not received concurrently can still be received one after another.
    await clearBonus(system, member);
    let last = await receiveAgain(member, code);
    for (let attempt = 0; last.status === 200 && attempt < 2; attempt += 1) last = await receiveAgain(member, code);
    assertRefused(last, 'BONUS_MAX_CLAIMED');
    assert.equal(await countReceived(system, member.id), 2);
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  });

  test("of ten members at a campaign's last bonus one receives it, and the others get BONUS_FULL [R-BON-03] [R-NET-06]", async () => {
    const code = await insertOffer(system, { quota: 1 });
    const members = await Promise.all(Array.from({ length: 10 }, () => memberWithDeposits(system, ledger, '100.00')));
    const replies = await Promise.all(members.map((member) => receiveBonus(system, member, code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(countOf(replies, 'BONUS_FULL'), 9);
    const [memberWithoutBonus] = members.filter((_, index) => replies[index]?.status !== 200);
    assert.ok(memberWithoutBonus);
    const bonusCard = await findBonusCard(memberWithoutBonus, code);
    assert.deepEqual([bonusCard.isFull, bonusCard.isExhausted, bonusCard.userBonus], [true, false, null]);
    // Nothing was used up: the same deposit earns another.
    assert.equal((await receiveBonus(system, memberWithoutBonus, await insertOffer(system))).status, 200);
  });
});

describe('budget of a campaign', () => {
  test("a campaign's budget is never exceeded, and its rest goes to members for whom it is enough [R-BON-03]", async () => {
    const code = await insertOffer(system, { budget: 350_00n });
    const members = await Promise.all(Array.from({ length: 8 }, () => memberWithDeposits(system, ledger, '100.00')));
    const replies = await Promise.all(members.map((member) => receiveBonus(system, member, code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 3);
    assert.equal(countOf(replies, 'BONUS_FULL'), 5);
    const { rows } = await system.database.query<{ amount: bigint }>(
      'select given as amount from bonus_offer_amount where code = $1',
      [code],
    );
    assert.equal(rows[0]?.amount, 300_00n);
  });

  test('a budget exactly enough for one more bonus credits it, and the next one is refused [R-BON-03]', async () => {
    const code = await insertOffer(system, { budget: 200_00n });
    for (const expected of [200, 200, 422]) {
      const member = await memberWithDeposits(system, ledger, '100.00');
      const card = await findBonusCard(member, code);
      assert.equal(card.isFull, expected !== 200);
      const reply = await receiveBonus(system, member, code);
      if (expected === 200) assert.equal(reply.status, 200, JSON.stringify(reply.body));
      else assertRefused(reply, 'BONUS_FULL');
    }
  });
});

describe('periods of a bonus', () => {
  test('a bonus counts its limit per day and week across midnight and Monday in Bangkok, also when the clock is set back [R-BON-03] [R-NET-06]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const limitedOffer = await insertOffer(system, { ...WITHOUT_LIMITS, type: 'limit', maxReceived: 2 });
    const dailyOffer = await insertOffer(system, { ...WITHOUT_LIMITS, type: 'day', maxReceived: 1 });
    const weeklyOffer = await insertOffer(system, { ...WITHOUT_LIMITS, type: 'week', maxReceived: 2 });
    advanceToSaturdayNight(clock);
    const isGiven = async (code: string): Promise<void> => {
      const reply = await receiveAgain(member, code);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    };
    const isRefused = async (code: string): Promise<void> => {
      assert.equal((await findBonusCard(member, code)).isExhausted, true, 'the card says so before');
      assertRefused(await receiveAgain(member, code), 'BONUS_MAX_CLAIMED');
    };
    for (const code of [dailyOffer, weeklyOffer, limitedOffer, limitedOffer]) await isGiven(code);
    for (const code of [dailyOffer, limitedOffer]) await isRefused(code);
    // Sunday, ten past midnight.
    clock.advance(20 * MINUTE_MS);
    assert.equal((await findBonusCard(member, dailyOffer)).isExhausted, false);
    for (const code of [dailyOffer, weeklyOffer]) await isGiven(code);
    for (const code of [dailyOffer, weeklyOffer, limitedOffer]) await isRefused(code);
    // Back on Saturday: Sunday's receipts count.
    clock.advance(-20 * MINUTE_MS);
    for (const code of [dailyOffer, weeklyOffer]) await isRefused(code);
    // Monday, ten past midnight: a day and a week have begun.
    clock.advance(20 * MINUTE_MS + DAY_MS);
    for (const code of [dailyOffer, weeklyOffer, weeklyOffer]) await isGiven(code);
    for (const code of [dailyOffer, weeklyOffer, limitedOffer]) await isRefused(code);
    clock.advance(-DAY_MS);
    for (const code of [dailyOffer, weeklyOffer]) await isRefused(code);
    clock.advance(DAY_MS);
    const { userBonus } = await findBonusCard(member, weeklyOffer);
    assert.equal(userBonus.received.length, 2, 'no more than count');
    assert.equal(userBonus.isActive, false);
  });

  test("a deposit older than the offer's hours earns no bonus [R-BON-03]", async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const [{ rows }, code] = await Promise.all([
      system.database.query<{ now: Date }>('select now() as now'),
      insertOffer(system, { windowHours: 2 }),
    ]);
    assert.ok(rows[0]);
    clock.advance(rows[0].now.getTime() + 121 * MINUTE_MS - clock.now().getTime());
    assertRefused(await receiveBonus(system, member, code), 'BONUS_CONDITION', 'NO_DEPOSIT');
    clock.advance(-2 * MINUTE_MS);
    assert.equal((await receiveBonus(system, member, code)).status, 200);
  });
});

/** Ten to midnight of the next Saturday in Bangkok. */
function advanceToSaturdayNight(clock: MovableClock): void {
  const bangkokTime = new Date(clock.now().getTime() + 7 * 60 * MINUTE_MS);
  const midnightMs = Date.UTC(bangkokTime.getUTCFullYear(), bangkokTime.getUTCMonth(), bangkokTime.getUTCDate() + 1);
  const daysUntilSunday = (6 - bangkokTime.getUTCDay() + 7) % 7;
  clock.advance(
    midnightMs +
      daysUntilSunday * DAY_MS -
      10 * MINUTE_MS -
      bangkokTime.getTime() +
      (daysUntilSunday === 0 && midnightMs - bangkokTime.getTime() < 15 * MINUTE_MS ? 7 * DAY_MS : 0),
  );
}
