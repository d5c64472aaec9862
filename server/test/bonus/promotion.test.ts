import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { type TestMember } from '../harness/members.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { active, changeOffer, clear, find, makeOffer, memberWith, redeem } from './bonus-world.ts';

describe('promotion codes', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const current = ({ token }: TestMember) => system.api('GET /api/promotion/current', { token });

  test('a code is found in any spelling, and its reply says what it gives and asks [R-BON-05]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const code = await makeOffer(system, { kind: 'PROMOTION', success: 250.5, fail: 7.25 });
    for (const typed of [code, code.toLowerCase(), `  ${code} `]) {
      const { status, body } = await find(system, member, typed);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, {
        code,
        name: `${code} th`,
        percentSuccess: 250.5,
        percentFail: 7.25,
        description: '<p>of the operator</p> th',
        minimumDeposit: 100,
        windowHours: 24,
        turnoverTimes: null,
      });
    }
    assertRefused(await current(member), 'NO_DATA');
    const received = await redeem(system, member, ` ${code.toLowerCase()}`);
    assert.equal(received.status, 200, JSON.stringify(received.body));
    assert.deepEqual([received.body.code, received.body.amount], [code, 100]);
    assert.equal((await current(member)).body.code, code);
    const { type, status, condition } = await active(system, member);
    assert.deepEqual([status, type, condition.name], [true, 'promotion', code]);
    // Refused by activation only, so that a member who had it can still read what it was.
    assert.equal((await find(system, member, code)).status, 200);
    assert.equal((await clear(system, member)).status, 200);
    assertRefused(await current(member), 'NO_DATA');
    assertRefused(await redeem(system, member, code), 'PROMOTION_RECEIVED');
  });

  test('a code that is over, off, of the other kind, for another currency or made up is not found, and indistinguishable from the others [R-BON-05] [R-NET-06]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const off = await makeOffer(system, { kind: 'PROMOTION' });
    await changeOffer(system, off, 'is_on', false);
    const codes = [
      'MADE-UP',
      off,
      await makeOffer(system, { kind: 'PROMOTION', endsAt: '2020-01-01T00:00:00Z' }),
      await makeOffer(system, { kind: 'PROMOTION', startsAt: '2126-01-01T00:00:00Z' }),
      await makeOffer(system, { kind: 'BONUS' }),
      await makeOffer(system, { kind: 'PROMOTION', currency: 'LAK' }),
    ];
    for (const code of codes) {
      const reply = await find(system, member, code);
      assertRefused(reply, 'NO_PROMOTION');
      assert.deepEqual(reply.body, { message: 'NO_PROMOTION' });
    }
  });

  test('of two members each receives a code once, and one’s receipt is not the other’s [R-BON-05] [R-ROLE-01]', async () => {
    const code = await makeOffer(system, { kind: 'PROMOTION' });
    const [one, two] = [await memberWith(system, ledger, '100.00'), await memberWith(system, ledger, '200.00')];
    const replies = await Promise.all([one, two].map((member) => redeem(system, member, code)));
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.amount]),
      [
        [200, 100],
        [200, 200],
      ],
    );
    assert.equal((await clear(system, one)).status, 200);
    assert.equal((await active(system, two)).code, code, 'the other’s is still active');
    assert.equal((await balanceOf(ledger, two.id, 'WALLET')).free, '400.00');
  });

  test('who tries codes is stopped, member by member and address by address, whether they hit or miss [R-BON-05] [R-NET-06]', async () => {
    const [guesser, finder, other] = [
      await memberWith(system, ledger, '1.00'),
      await memberWith(system, ledger, '1.00'),
      await memberWith(system, ledger, '1.00'),
    ];
    const code = await makeOffer(system, { kind: 'PROMOTION' });
    await setLimits(system, { 'promotion.member': 4, 'promotion.address': 1_000 });
    for (const guess of ['GUESS-1', 'GUESS-2', 'GUESS-3']) {
      assertRefused(await find(system, guesser, guess), 'NO_PROMOTION');
    }
    assertRefused(await redeem(system, guesser, 'GUESS-4'), 'NO_PROMOTION');
    for (let hit = 1; hit <= 4; hit += 1) assert.equal((await find(system, finder, code)).status, 200);
    for (const stopped of [guesser, finder]) {
      for (const ask of [find, redeem]) assertRefused(await ask(system, stopped, code), 'REQUEST_LIMIT_1MIN');
    }
    assert.equal((await find(system, other, code)).status, 200, 'the others may go on');
    await setLimits(system, { 'promotion.member': 1_000, 'promotion.address': 1 });
    assert.equal((await find(system, other, code)).status, 200, 'a tenth of a member’s own limit is left to them');
    await setLimits(system, { 'promotion.member.day': 9 });
    assertRefused(await find(system, other, code), 'REQUEST_LIMIT');
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const { token } = other;
    const elsewhere = await system.api('GET /api/promotion/find/{code}', { token, params: { code }, headers: from });
    assert.equal(elsewhere.status, 200, JSON.stringify(elsewhere.body));
    await setLimits(system, {
      'promotion.member': 1_000,
      'promotion.member.day': 1_000,
      'promotion.address': 1_000,
    });
  });
});
