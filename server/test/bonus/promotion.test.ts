import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type TestMember } from '../harness/members.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  readActiveBonus,
  updateOffer,
  clearBonus,
  findPromotion,
  insertOffer,
  memberWithDeposits,
  redeemPromotion,
} from './bonus-fixtures.ts';

describe('promotion codes', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const readCurrentPromotion = ({ token }: TestMember) => system.api('GET /api/promotion/current', { token });

  test('a promotion code is found in any spelling, and the reply states amount and condition [R-BON-05]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const code = await insertOffer(system, { kind: 'PROMOTION', success: 250.5, fail: 7.25 });
    for (const typedCode of [code, code.toLowerCase(), `  ${code} `, `\u202a${code}\u202c`, `\ufeff${code}\u00ad`]) {
      const { status, body } = await findPromotion(system, member, typedCode);
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
    assertRefused(await readCurrentPromotion(member), 'NO_DATA');
    const received = await redeemPromotion(system, member, ` ${code.toLowerCase()}`);
    assert.equal(received.status, 200, JSON.stringify(received.body));
    assert.deepEqual([received.body.code, received.body.amount], [code, 100]);
    assert.equal((await readCurrentPromotion(member)).body.code, code);
    const { type, status, condition } = await readActiveBonus(system, member);
    assert.deepEqual([status, type, condition.name], [true, 'promotion', code]);
    // Only activation refuses, so that a member who received the promotion can still read it.
    assert.equal((await findPromotion(system, member, code)).status, 200);
    assert.equal((await clearBonus(system, member)).status, 200);
    assertRefused(await readCurrentPromotion(member), 'NO_DATA');
    assertRefused(await redeemPromotion(system, member, code), 'PROMOTION_RECEIVED');
  });

  test('a promotion code that is over, off, of another kind or currency, or unknown gets the same reply: not found [R-BON-05] [R-NET-06]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const inactiveOffer = await insertOffer(system, { kind: 'PROMOTION' });
    await updateOffer(system, inactiveOffer, 'is_on', false);
    const codes = [
      'MADE-UP',
      inactiveOffer,
      await insertOffer(system, { kind: 'PROMOTION', endsAt: '2020-01-01T00:00:00Z' }),
      await insertOffer(system, { kind: 'PROMOTION', startsAt: '2126-01-01T00:00:00Z' }),
      await insertOffer(system, { kind: 'BONUS' }),
      await insertOffer(system, { kind: 'PROMOTION', currency: 'LAK' }),
    ];
    for (const code of codes) {
      const reply = await findPromotion(system, member, code);
      assertRefused(reply, 'NO_PROMOTION');
      assert.deepEqual(reply.body, { message: 'NO_PROMOTION' });
    }
  });

  test('two members each receive a promotion code once, independently of each other [R-BON-05] [R-ROLE-01]', async () => {
    const code = await insertOffer(system, { kind: 'PROMOTION' });
    const [first, second] = [
      await memberWithDeposits(system, ledger, '100.00'),
      await memberWithDeposits(system, ledger, '200.00'),
    ];
    const replies = await Promise.all([first, second].map((member) => redeemPromotion(system, member, code)));
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.amount]),
      [
        [200, 100],
        [200, 200],
      ],
    );
    assert.equal((await clearBonus(system, first)).status, 200);
    assert.equal((await readActiveBonus(system, second)).code, code, 'the other’s is still active');
    assert.equal((await readBalance(ledger, second.id, 'WALLET')).free, '400.00');
  });

  test('attempts at promotion codes are limited by member and by address, whether they are right or wrong [R-BON-05] [R-NET-06]', async () => {
    const [guessingMember, findingMember, otherMember] = [
      await memberWithDeposits(system, ledger, '1.00'),
      await memberWithDeposits(system, ledger, '1.00'),
      await memberWithDeposits(system, ledger, '1.00'),
    ];
    const code = await insertOffer(system, { kind: 'PROMOTION' });
    await setRateLimits(system, { 'promotion.member': 4, 'promotion.address': 1_000 });
    for (const guessedCode of ['GUESS-1', 'GUESS-2', 'GUESS-3']) {
      assertRefused(await findPromotion(system, guessingMember, guessedCode), 'NO_PROMOTION');
    }
    assertRefused(await redeemPromotion(system, guessingMember, 'GUESS-4'), 'NO_PROMOTION');
    for (let attempt = 1; attempt <= 4; attempt += 1)
      assert.equal((await findPromotion(system, findingMember, code)).status, 200);
    for (const limitedMember of [guessingMember, findingMember]) {
      for (const sendRequest of [findPromotion, redeemPromotion])
        assertRefused(await sendRequest(system, limitedMember, code), 'REQUEST_LIMIT_1MIN');
    }
    assert.equal((await findPromotion(system, otherMember, code)).status, 200, 'the others may go on');
    await setRateLimits(system, { 'promotion.member': 1_000, 'promotion.address': 1 });
    assert.equal(
      (await findPromotion(system, otherMember, code)).status,
      200,
      'a tenth of a member’s own limit is left to them',
    );
    await setRateLimits(system, { 'promotion.member.day': 9 });
    assertRefused(await findPromotion(system, otherMember, code), 'REQUEST_LIMIT');
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const { token } = otherMember;
    const limitReply = await system.api('GET /api/promotion/find/{code}', {
      token,
      params: { code },
      headers: from,
    });
    assert.equal(limitReply.status, 200, JSON.stringify(limitReply.body));
    await setRateLimits(system, {
      'promotion.member': 1_000,
      'promotion.member.day': 1_000,
      'promotion.address': 1_000,
    });
  });
});
