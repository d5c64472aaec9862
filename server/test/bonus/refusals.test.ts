import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { behave, misbehave, openBet, openGame, play, transfer } from '../harness/games.ts';
import { type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { closeWallet, setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, withdraw } from '../withdraw/payout-fixtures.ts';
import { active, changeOffer, clear, makeOffer, memberWith, receive, receivedTimes, redeem } from './bonus-world.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await payoutsTake(system, 20);
  await setLimits(system, { 'promotion.address': 100_000 });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const ended = async (member: TestMember): Promise<void> => {
  assert.equal((await clear(system, member)).status, 200);
};

describe('why a bonus is not received', () => {
  test('every unmet requirement is reported at once, in the order of refusals, by the refusal and before any deposit', async () => {
    const member = await memberWith(system, ledger, '50.00');
    const code = await makeOffer(system, { quota: 0, maxReceived: 1 });
    const unmet = [
      { code: 'BONUS_FULL' },
      { code: 'BONUS_CONDITION', detail: 'DEPOSIT_BELOW_MINIMUM' },
      { code: 'BONUS_REMAINING', detail: 'MONEY_LEFT' },
    ];
    const { status, body } = await receive(system, member, code);
    assert.deepEqual([status, body.message, body.unmet], [409, 'BONUS_FULL', unmet]);
    const ask = async () =>
      (await system.api('GET /api/bonus/requirements/{code}', { token: member.token, params: { code } })).body.unmet;
    const shown = unmet.map(({ detail = null, ...one }) => ({ ...one, detail }));
    assert.deepEqual(await ask(), shown);
    await changeOffer(system, code, 'quota', 10);
    assert.deepEqual(await ask(), shown.slice(1));
    await fund(ledger, member.id, '100.00');
    assert.deepEqual(await ask(), shown.slice(2), 'the deposit is there; the older money still stands in the way');
    const fresh = await memberWith(system, ledger, '100.00');
    const { body: all } = await system.api('GET /api/bonus/requirements/{code}', {
      token: fresh.token,
      params: { code },
    });
    assert.deepEqual(all.unmet, []);
  });

  for (const [kind, ask, usedUp] of [
    ['BONUS', receive, 'BONUS_MAX_CLAIMED'],
    ['PROMOTION', redeem, 'PROMOTION_RECEIVED'],
  ] as const) {
    test(`${kind}: of several faults the first in order is reported, until none is left [R-BON-03] [R-BON-05] [R-NET-06]`, async () => {
      const member = await memberWith(system, ledger, '100.00');
      const code = await makeOffer(system, { kind, rest: 0n });
      assert.equal((await ask(system, member, code)).status, 200);
      // Off, active, received, full, no new deposit, and the first one's deposit.
      await changeOffer(system, code, 'quota', 0);
      await changeOffer(system, code, 'is_on', false);
      assertRefused(await ask(system, member, code), 'NO_PROMOTION');
      await changeOffer(system, code, 'is_on', true);
      assertRefused(await ask(system, member, code), 'BONUS_ALREADY_ACTIVE');
      await ended(member);
      assertRefused(await ask(system, member, code), usedUp);
      const another = await makeOffer(system, { kind, quota: 0 });
      assertRefused(await ask(system, member, another), 'BONUS_FULL');
      await changeOffer(system, another, 'quota', 1);
      assertRefused(await ask(system, member, another), 'BONUS_CONDITION', 'DEPOSIT_USED');
      await fund(ledger, member.id, '150.00');
      assertRefused(await ask(system, member, another), 'BONUS_REMAINING', 'MONEY_LEFT');
      const poorer = await memberWith(system, ledger, '150.00');
      assert.equal((await ask(system, poorer, another)).status, 200);
      assertRefused(await ask(system, await memberWith(system, ledger, '150.00'), another), 'BONUS_FULL');
      assert.deepEqual([await receivedTimes(system, member.id), await receivedTimes(system, poorer.id)], [1, 1]);
    });

    test(`${kind}: a code that is unknown, off, not yet or no longer on, of the other kind, or for another currency is NO_PROMOTION [R-BON-03] [R-BON-05] [R-NET-06]`, async () => {
      const member = await memberWith(system, ledger, '100.00');
      const other = kind === 'BONUS' ? 'PROMOTION' : 'BONUS';
      const codes = [
        'NEVER-THERE',
        await makeOffer(system, { kind, isOn: false }),
        await makeOffer(system, { kind, endsAt: '2020-01-01T00:00:00Z' }),
        await makeOffer(system, { kind, startsAt: '2126-01-01T00:00:00Z' }),
        await makeOffer(system, { kind: other }),
        await makeOffer(system, { kind, currency: 'LAK' }),
      ];
      const replies = [];
      for (const code of codes) replies.push(await ask(system, member, code));
      for (const reply of replies) {
        assertRefused(reply, 'NO_PROMOTION');
        assert.deepEqual(reply.body, replies[0]?.body, 'nothing tells them apart');
      }
      assert.equal(await receivedTimes(system, member.id), 0);
    });

    test(`${kind}: codes that no offer can have are NO_PROMOTION, whatever they are made of [R-BON-05] [R-NET-05]`, async () => {
      const member = await memberWith(system, ledger);
      for (const code of ["' or 1=1 --", '../../x', '%00', 'ｗｅｌｃｏｍｅ', 'โค้ด', 'x'.repeat(33), ' ', 'A B', 'ﬁ']) {
        assertRefused(await ask(system, member, code), 'NO_PROMOTION');
      }
    });
  }

  test('without a deposit that is great enough, unused, and not followed by a withdrawal: BONUS_CONDITION [R-BON-03] [R-NET-06]', async () => {
    const code = await makeOffer(system);
    assertRefused(await receive(system, await memberWith(system, ledger), code), 'BONUS_CONDITION', 'NO_DEPOSIT');
    const small = await memberWith(system, ledger, '99.99');
    assertRefused(await receive(system, small, code), 'BONUS_CONDITION', 'DEPOSIT_BELOW_MINIMUM');
    const withdrawn = await memberWith(system, ledger, '300.00');
    assert.equal((await withdraw(system, withdrawn, 100)).status, 200);
    assertRefused(await receive(system, withdrawn, code), 'BONUS_CONDITION');
    await nothingOpen(system);
    assertRefused(await receive(system, withdrawn, code), 'BONUS_CONDITION', 'WITHDRAWN_SINCE');
    // The next deposit qualifies again: the operator decides about anything else.
    await fund(ledger, withdrawn.id, '100.00');
    assertRefused(await receive(system, withdrawn, code), 'BONUS_REMAINING', 'MONEY_LEFT');
    const generous = await makeOffer(system, { rest: 200_00n });
    assert.equal((await receive(system, withdrawn, generous)).status, 200);
  });

  test('one deposit earns one bonus or promotion, never two [R-BON-03] [R-BON-05]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    assert.equal((await receive(system, member, await makeOffer(system))).status, 200);
    await ended(member);
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '100.00');
    for (const [ask, kind] of [
      [receive, 'BONUS'],
      [redeem, 'PROMOTION'],
    ] as const) {
      const code = await makeOffer(system, { kind, rest: 1_000_00n });
      assertRefused(await ask(system, member, code), 'BONUS_CONDITION', 'DEPOSIT_USED');
    }
    assert.equal(await receivedTimes(system, member.id), 1);
  });
});

describe('states in which no bonus is received', () => {
  test('a deposit that was lost before is not insured by a bonus: BONUS_CONDITION; a trial round does no harm [R-BON-03]', async () => {
    const member = await memberWith(system, ledger, '200.00');
    const { username } = await openGame(system, member.token, 'pg');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await play(system, 'pg', username, '20', '0');
    const strict = await makeOffer(system, { rest: 19_99n });
    assertRefused(await receive(system, member, strict), 'BONUS_CONDITION', 'DEPOSIT_PLAYED');
    assert.equal((await receive(system, member, await makeOffer(system, { rest: 20_00n }))).status, 200);
    // What was lost is not theirs to keep: 180 were there, 200 were given.
    const { condition, ifCleared } = await active(system, member);
    assert.deepEqual([condition.base, ifCleared], [380, { takesBack: 200, keeps: 180 }]);
  });

  test('a lost bonus that has not been measured since blocks no other [R-BON-03]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const { username } = await openGame(system, member.token, 'pg');
    assert.equal((await receive(system, member, await makeOffer(system))).status, 200);
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 200 });
    await play(system, 'pg', username, '200', '0');
    await fund(ledger, member.id, '100.00');
    const { status, body } = await receive(system, member, await makeOffer(system));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.condition.base, 200);
  });

  test('money in games, open bets, and games that do not answer are BONUS_REMAINING [R-BON-03] [R-NET-06]', async () => {
    const code = await makeOffer(system, { rest: 20_00n });
    const won = await memberWith(system, ledger, '200.00');
    const { username } = await openGame(system, won.token, 'pg');
    await transfer(system, won.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await play(system, 'pg', username, '50', '71');
    assertRefused(await receive(system, won, code), 'BONUS_REMAINING', 'MONEY_LEFT');
    await play(system, 'pg', username, '1', '0');
    const voided = await openBet(system, 'pg', username, '21');
    assertRefused(await receive(system, won, code), 'BONUS_REMAINING', 'OPEN_BETS');
    await voided();
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 100 });
    assertRefused(await receive(system, won, code), 'BONUS_REMAINING', 'GAMES_SILENT');
    await behave(system, 'pg');
    assert.equal((await receive(system, won, code)).status, 200);
    assert.equal((await active(system, won)).condition.base, 400);
  });

  test('a call without the marker, or made by a browser on its own, changes nothing [R-NET-06]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const code = await makeOffer(system);
    const { token } = member;
    for (const [call, params] of [
      ['GET /api/bonus/activate/{code}', { code }],
      ['GET /api/promotion/activate/{code}', { code }],
      ['GET /api/bonus/clear', {}],
    ] as const) {
      assertRefused(await system.api(call, { token, params, marker: false }), 'KEY_MISSING', 'MARKER');
      const headers = { 'sec-purpose': 'prefetch' };
      assertRefused(await system.api(call, { token, params, headers }), 'KEY_INVALID', 'PREFETCH');
    }
    assert.equal((await active(system, member)).status, false);
  });

  test('a wallet that is closed receives nothing: NO_WALLET [R-BON-03] [R-NET-06]', async () => {
    const member = await memberWith(system, ledger, '100.00');
    const code = await makeOffer(system);
    await closeWallet(system, member);
    for (const ask of [receive, redeem]) assertRefused(await ask(system, member, code), 'NO_WALLET');
    assertRefused(await clear(system, member), 'NO_WALLET');
  });
});
