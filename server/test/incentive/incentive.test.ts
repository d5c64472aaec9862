import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '../../src/platform/errors.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { behave, openBet, transfer } from '../harness/games.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';
import { balanceOf, fund } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { end, nothingOpen, payoutsTake, reaches as reached, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  assertAudits,
  bonusOf,
  conditionOf,
  costs,
  type Door,
  give,
  holderOf,
  linesOf,
  openDoor,
  playAt,
  reaches,
  silence,
  somebodyWaits,
} from './incentive-world.ts';

const VOLLEY = 30;
const DAY_MS = 86_400_000;

const codeOf = (error: unknown): string =>
  error instanceof Refusal ? `${error.code} ${error.detail ?? ''}`.trim() : String(error);
const refusal = (code: string) => (error: unknown) => {
  assert.equal(codeOf(error), code);
  return true;
};

let system: System;
let door: Door;
before(async () => {
  system = await startSystem();
  door = await openDoor(system);
  await payoutsTake(system, 20);
});
after(async () => {
  await nothingOpen(system);
  await assertAudits(door);
  await door?.close();
  await system?.stop();
});

afterEach(() => behave(system));

const memberWith = (amount: string): Promise<Gamer> => gamerWith(system, door.ledger, amount);
const into = async (member: Gamer, code: 'pg' | 'askmebet', amount: number): Promise<void> => {
  const { status, body } = await transfer(system, member.token, { from: 'WALLET', to: code, amount });
  assert.equal(status, 200, JSON.stringify(body));
};
const follow = (member: Gamer) => door.incentive.follow(holderOf(member), 'en');
const free = async (member: Gamer): Promise<string> => (await balanceOf(door.ledger, member.id, 'WALLET')).free;
const ends = async (member: Gamer, state: string): Promise<void> => {
  assert.deepEqual(await follow(member), []);
  assert.deepEqual(await conditionOf(system, member), { state, isTold: true });
  assert.deepEqual(await linesOf(door, member, 'finish_bonus'), ['0']);
};

describe('money that the house gives, and what it asks', () => {
  test('thirty at the same moment for one source give once', async () => {
    const member = await memberWith('100.00');
    const award = { ...bonusOf('50', '100'), condition: null };
    const results = await Promise.allSettled(Array.from({ length: VOLLEY }, () => give(door, member, award)));
    const granted = results.filter(({ status }) => status === 'fulfilled');
    assert.equal(granted.length, 1);
    assert.equal(await free(member), '150.00');
    assert.deepEqual(await linesOf(door, member, 'bonus'), ['5000']);
  });

  test('thirty bonuses of different sources at the same moment: one is active, the others change nothing', async () => {
    const member = await memberWith('100.00');
    const results = await Promise.allSettled(
      Array.from({ length: VOLLEY }, (_, at) =>
        give(door, member, { ...bonusOf('50', '100'), source: `one of many:${at}` }),
      ),
    );
    for (const one of results) {
      if (one.status === 'rejected') assert.equal(codeOf(one.reason), 'BONUS_ALREADY_ACTIVE');
    }
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await free(member), '150.00');
  });

  test('what is decided with something that is refused leaves nothing behind', async () => {
    const member = await memberWith('100.00');
    const other = await memberWith('0.01');
    const refused = door.incentive.grant(holderOf(member), async (tx) => {
      await tx.query('insert into incentive_gate (member_id) values ($1)', [other.id]);
      throw new Refusal('BONUS_FULL');
    });
    await assert.rejects(refused, refusal('BONUS_FULL'));
    const { rowCount } = await system.database.query('select from incentive_gate where member_id = $1', [other.id]);
    assert.deepEqual([rowCount, await free(member)], [0, '100.00']);
  });

  test('while it is open a withdrawal is refused with how it stands; met by winning, it goes at once [R-WDR-02]', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 200);
    const refused = await withdraw(system, member, 100);
    assert.deepEqual(
      [refused.status, refused.body.message, refused.body.detail],
      [409, 'BONUS_CONDITION', 'CURRENT=200.00 TARGET=600.00'],
    );
    await playAt(system, member, 'pg', '10', '409.99');
    assert.equal((await withdraw(system, member, 100)).body.detail, 'CURRENT=599.99 TARGET=600.00');
    await playAt(system, member, 'pg', '1', '1.01');
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 600 })).status, 200);
    // It has not been measured since: the withdrawal does.
    assert.equal((await withdraw(system, member, 600)).status, 200);
    assert.equal((await conditionOf(system, member))?.state, 'SUCCESS');
    await nothingOpen(system);
    assert.equal(await free(member), '0.00');
  });

  test('money that comes in later meets nothing and saves nothing', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await fund(door.ledger, member.id, '5000.00');
    const [stands] = await follow(member);
    assert.deepEqual([stands?.state, stands?.current, stands?.target], ['ACTIVE', 200, 600]);
    await into(member, 'pg', 200);
    await playAt(system, member, 'pg', '180', '0');
    await ends(member, 'FAILED');
    assert.equal(await free(member), '5000.00');
  });
});

describe('turnover, losses and time of a condition', () => {
  test('turnover meets it where it counts, from what it was before', async () => {
    const member = await memberWith('100.00');
    await into(member, 'askmebet', 100);
    await playAt(system, member, 'askmebet', '50', '50');
    await give(door, member, bonusOf('100', '100', { turnoverTimes: 2.5 }));
    await playAt(system, member, 'askmebet', '100', '100');
    const [stands] = await follow(member);
    assert.deepEqual([stands?.turnover, stands?.turnoverTarget, stands?.current], [100, 500, 200]);
    for (let round = 0; round < 4; round += 1) await playAt(system, member, 'askmebet', '100', '100');
    await ends(member, 'SUCCESS');
  });

  test('turnover of a game that was silent at the beginning counts from its first report', async () => {
    const member = await memberWith('100.00');
    await into(member, 'askmebet', 100);
    await playAt(system, member, 'askmebet', '90', '90');
    await silence(system, 'askmebet');
    await give(door, member, bonusOf('100', '100', { turnoverTimes: 1 }));
    await behave(system, 'askmebet');
    assert.equal((await follow(member))[0]?.turnover, 0);
    await playAt(system, member, 'askmebet', '60', '60');
    assert.equal((await follow(member))[0]?.turnover, 60);
  });

  test('at the floor it is lost, but not while a bet is open', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 200);
    await playAt(system, member, 'pg', '150', '0');
    const takeBack = await openBet(system, 'pg', member.pg, '40.00');
    const [stands] = await follow(member);
    assert.deepEqual([stands?.state, stands?.current, stands?.floor, stands?.outstanding], ['ACTIVE', 10, 20, 40]);
    await takeBack();
    assert.equal((await follow(member))[0]?.current, 50);
    await playAt(system, member, 'pg', '30', '0');
    await ends(member, 'FAILED');
    // What is left is the member's.
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 20 })).status, 200);
  });

  test('at the floor it is not lost while a game that holds something is silent', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 150);
    await into(member, 'askmebet', 50);
    await playAt(system, member, 'askmebet', '40', '0');
    await playAt(system, member, 'pg', '145', '0');
    await silence(system, 'askmebet');
    // By what is known it is above: what was lost at the silent one isn't.
    assert.equal((await follow(member))[0]?.current, 55);
    await behave(system);
    await silence(system, 'pg');
    const [stands] = await follow(member);
    assert.deepEqual([stands?.state, stands?.current, stands?.floor], ['ACTIVE', 15, 20]);
    await behave(system);
    await ends(member, 'FAILED');
  });

  test('an unrefreshed bet keeps it open when the rest of the money is back in the wallet', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 200);
    const takeBack = await openBet(system, 'pg', member.pg, '190.00');
    // The transfer reports the cash, and nothing reports the stake.
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 10 })).status, 200);
    await silence(system, 'pg');
    assert.deepEqual([(await follow(member))[0]?.state, (await follow(member))[0]?.current], ['ACTIVE', 10]);
    await assert.rejects(door.incentive.clear(holderOf(member)), refusal('BONUS_REMAINING GAMES_NOT_BROUGHT'));
    await behave(system);
    assert.equal((await follow(member))[0]?.outstanding, 190);
    await takeBack();
    assert.equal((await follow(member))[0]?.current, 200);
  });

  test('money that was gone before it began can not keep it open: nothing left is lost', async () => {
    const member = await memberWith('40.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 140);
    await playAt(system, member, 'pg', '140', '0');
    await ends(member, 'FAILED');
  });

  test('when its time is over what is left of it goes back by itself, and not while a bet is open', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100', { expiresAt: new Date(Date.now() - 1) }));
    await into(member, 'pg', 200);
    const takeBack = await openBet(system, 'pg', member.pg, '40.00');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    assert.equal((await conditionOf(system, member))?.state, 'ACTIVE');
    await takeBack();
    await playAt(system, member, 'pg', '70', '0');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    await reaches(system, member, 'EXPIRED');
    assert.equal(await free(member), '100.00');
    assert.equal(await costs(system, member.id), '70.00');
  });

  test('a condition of a member who does not come is ended by the system', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 200);
    await playAt(system, member, 'pg', '100', '700');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    await reaches(system, member, 'SUCCESS');
  });
});

describe('conditions that meet withdrawals or are given up', () => {
  for (const [kind, code] of [
    ['PROMOTION', 'BONUS_CONDITION'],
    ['COUPON', 'BONUS_CONDITION'],
    ['REFUND', 'REFUND_CONDITION'],
    ['INVITE', 'REFUND_CONDITION'],
  ] as const) {
    test(`money of the kind ${kind} holds withdrawals back with ${code}, and stands in the statement [R-WDR-02] [R-STMT-02]`, async () => {
      const member = await memberWith('500.00');
      await give(door, member, { ...bonusOf('100', '0'), kind });
      const { status, body } = await withdraw(system, member, 100);
      assert.deepEqual([status, body.message, body.detail], [409, code, 'CURRENT=100.00 TARGET=300.00']);
      const { body: results } = await system.api('POST /api/statement', {
        token: member.token,
        body: { page: 1, limit: 1 },
      });
      const { from, statementType, amount } = results.statements[0];
      const place = kind === 'COUPON' ? 'LUCKYDRAW' : kind;
      assert.deepEqual([statementType, from, amount], ['bonus', place, 100]);
      assert.deepEqual(results.statements[0][place.toLowerCase()], { description: 'Welcome' });
    });
  }

  test('a withdrawal and a bonus at the same moment: one of them, every time [R-WDR-02] [R-XFER-04]', async () => {
    const members = await Promise.all(Array.from({ length: 16 }, () => memberWith('500.00')));
    // A paid withdrawal blocks nothing.
    await payoutsTake(system, DAY_MS);
    for (const [at, member] of members.entries()) {
      const granted = give(door, member, bonusOf('100', '100')).then(() => '', codeOf);
      // Later and later, so that each of the two is ahead now and then.
      await wait(at * 2);
      const paid = await withdraw(system, member, 100);
      const isPaid = paid.status === 200;
      if (!isPaid) assert.equal(paid.body.message, 'BONUS_CONDITION');
      assert.equal(await granted, isPaid ? 'REQUEST_LIMIT WITHDRAW_IN_PROGRESS' : '');
      if (!isPaid) continue;
      await reached(system, paid.body.reference, 'ACCEPTED');
      await end(system, paid.body.reference, 'PAID');
    }
    await payoutsTake(system, 20);
  });

  test('a withdrawal that is looked at while a bonus is decided waits, and is refused by it [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    let paid: Promise<ApiReply> | undefined;
    await door.incentive.grant(holderOf(member), async () => {
      paid = withdraw(system, member, 100);
      await somebodyWaits(system);
      return bonusOf('100', '100');
    });
    assert.deepEqual([(await paid)?.status, (await paid)?.body.message], [409, 'BONUS_CONDITION']);
    assert.equal(await free(member), '600.00');
  });

  test('given up, what is left of it and was won goes back, the deposit and later money stay', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await fund(door.ledger, member.id, '30.00');
    await into(member, 'pg', 150);
    await into(member, 'askmebet', 50);
    await playAt(system, member, 'pg', '50', '0');
    await playAt(system, member, 'askmebet', '10', '90');
    await follow(member);
    const before = await door.incentive.activeBonus(member.id, 'en');
    assert.deepEqual([before?.takesBack, before?.keeps], [13_000n, 13_000n]);
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => door.incentive.clear(holderOf(member))));
    const done = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of done) assert.deepEqual(one, { takenBack: 13_000n, kept: 13_000n });
    assert.ok(done.length >= 1);
    for (const one of results) if (one.status === 'rejected') assert.equal(codeOf(one.reason), 'NO_DATA');
    assert.deepEqual(await linesOf(door, member, 'finish_bonus'), ['-13000']);
    assert.deepEqual([await free(member), (await conditionOf(system, member))?.state], ['130.00', 'CANCELLED']);
    assert.equal((await withdraw(system, member, 130)).status, 200);
    await nothingOpen(system);
  });

  test('given up after the bonus was lost, nothing goes back', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 150);
    await playAt(system, member, 'pg', '120', '0');
    assert.deepEqual(await door.incentive.clear(holderOf(member)), { takenBack: 0n, kept: 8_000n });
    assert.deepEqual(await linesOf(door, member, 'finish_bonus'), ['0']);
    assert.equal(await costs(system, member.id), '100.00');
  });

  test('it can not be given up while a bet is open or a game with money is silent, and nothing is taken', async () => {
    const member = await memberWith('100.00');
    await give(door, member, bonusOf('100', '100'));
    await into(member, 'pg', 150);
    const takeBack = await openBet(system, 'pg', member.pg, '40.00');
    await assert.rejects(door.incentive.clear(holderOf(member)), refusal('BONUS_REMAINING OPEN_BETS'));
    await takeBack();
    await follow(member);
    await silence(system, 'pg');
    await assert.rejects(door.incentive.clear(holderOf(member)), refusal('BONUS_REMAINING GAMES_NOT_BROUGHT'));
    assert.deepEqual(await linesOf(door, member, 'finish_bonus'), []);
    await behave(system);
    assert.equal((await door.incentive.clear(holderOf(member))).takenBack, 10_000n);
  });

  test('without a bonus there is nothing to give up', async () => {
    const member = await memberWith('100.00');
    await assert.rejects(door.incentive.clear(holderOf(member)), refusal('NO_DATA'));
    await give(door, member, { ...bonusOf('10', '0'), kind: 'REFUND' });
    await assert.rejects(door.incentive.clear(holderOf(member)), refusal('NO_DATA'));
  });
});
