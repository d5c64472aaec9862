import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { clearProviderFaults, failProvider, openBet, openGame, playRound, transfer } from '../harness/games.ts';
import { type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { closeWallet, setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForNoOpenWithdrawals, setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  readActiveBonus,
  updateOffer,
  clearBonus,
  insertOffer,
  memberWithDeposits,
  receiveBonus,
  countReceived,
  redeemPromotion,
} from './bonus-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 20);
  await setRateLimits(system, { 'promotion.address': 100_000 });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const endConditions = async (member: TestMember): Promise<void> => {
  assert.equal((await clearBonus(system, member)).status, 200);
};

describe('reasons for refusing a bonus', () => {
  test('all unmet requirements of a bonus are reported together, in order, by the refusal and before any deposit', async () => {
    const member = await memberWithDeposits(system, ledger, '50.00');
    const code = await insertOffer(system, { quota: 0, maxReceived: 1 });
    const unmetRequirements = [
      { code: 'BONUS_FULL' },
      { code: 'BONUS_CONDITION', detail: 'DEPOSIT_BELOW_MINIMUM' },
      { code: 'BONUS_REMAINING', detail: 'MONEY_LEFT' },
    ];
    const { status, body } = await receiveBonus(system, member, code);
    assert.deepEqual([status, body.message, body.unmet], [409, 'BONUS_FULL', unmetRequirements]);
    const readUnmet = async () =>
      (await system.api('GET /api/bonus/requirements/{code}', { token: member.token, params: { code } })).body.unmet;
    const expectedUnmet = unmetRequirements.map(({ detail = null, ...one }) => ({ ...one, detail }));
    assert.deepEqual(await readUnmet(), expectedUnmet);
    await updateOffer(system, code, 'quota', 10);
    assert.deepEqual(await readUnmet(), expectedUnmet.slice(1));
    await fundWallet(ledger, member.id, '100.00');
    assert.deepEqual(
      await readUnmet(),
      expectedUnmet.slice(2),
      'the deposit is there; the older money still stands in the way',
    );
    const fresh = await memberWithDeposits(system, ledger, '100.00');
    const { body: allRequirements } = await system.api('GET /api/bonus/requirements/{code}', {
      token: fresh.token,
      params: { code },
    });
    assert.deepEqual(allRequirements.unmet, []);
  });

  for (const [offerKind, ask, usedUp] of [
    ['BONUS', receiveBonus, 'BONUS_MAX_CLAIMED'],
    ['PROMOTION', redeemPromotion, 'PROMOTION_RECEIVED'],
  ] as const) {
    test(`${offerKind}: of several unmet requirements the first in order is the refusal, until none is left [R-BON-03] [R-BON-05] [R-NET-06]`, async () => {
      const member = await memberWithDeposits(system, ledger, '100.00');
      const code = await insertOffer(system, { kind: offerKind, rest: 0n });
      assert.equal((await ask(system, member, code)).status, 200);
      // Conditions in order: inactive, active, already received, full, no new deposit, the first deposit.
      await updateOffer(system, code, 'quota', 0);
      await updateOffer(system, code, 'is_on', false);
      assertRefused(await ask(system, member, code), 'NO_PROMOTION');
      await updateOffer(system, code, 'is_on', true);
      assertRefused(await ask(system, member, code), 'BONUS_ALREADY_ACTIVE');
      await endConditions(member);
      assertRefused(await ask(system, member, code), usedUp);
      const otherOffer = await insertOffer(system, { kind: offerKind, quota: 0 });
      assertRefused(await ask(system, member, otherOffer), 'BONUS_FULL');
      await updateOffer(system, otherOffer, 'quota', 1);
      assertRefused(await ask(system, member, otherOffer), 'BONUS_CONDITION', 'DEPOSIT_USED');
      await fundWallet(ledger, member.id, '150.00');
      assertRefused(await ask(system, member, otherOffer), 'BONUS_REMAINING', 'MONEY_LEFT');
      const poorerMember = await memberWithDeposits(system, ledger, '150.00');
      assert.equal((await ask(system, poorerMember, otherOffer)).status, 200);
      assertRefused(await ask(system, await memberWithDeposits(system, ledger, '150.00'), otherOffer), 'BONUS_FULL');
      assert.deepEqual([await countReceived(system, member.id), await countReceived(system, poorerMember.id)], [1, 1]);
    });

    test(`${offerKind}: a code that is unknown, off, outside its period, of another kind or currency is NO_PROMOTION [R-BON-03] [R-BON-05] [R-NET-06]`, async () => {
      const member = await memberWithDeposits(system, ledger, '100.00');
      const otherKind = offerKind === 'BONUS' ? 'PROMOTION' : 'BONUS';
      const codes = [
        'NEVER-THERE',
        await insertOffer(system, { kind: offerKind, isOn: false }),
        await insertOffer(system, { kind: offerKind, endsAt: '2020-01-01T00:00:00Z' }),
        await insertOffer(system, { kind: offerKind, startsAt: '2126-01-01T00:00:00Z' }),
        await insertOffer(system, { kind: otherKind }),
        await insertOffer(system, { kind: offerKind, currency: 'LAK' }),
      ];
      const replies = [];
      for (const code of codes) replies.push(await ask(system, member, code));
      for (const reply of replies) {
        assertRefused(reply, 'NO_PROMOTION');
        assert.deepEqual(reply.body, replies[0]?.body, 'nothing tells them apart');
      }
      assert.equal(await countReceived(system, member.id), 0);
    });

    test(`${offerKind}: malformed codes are NO_PROMOTION, whatever characters they contain [R-BON-05] [R-NET-05]`, async () => {
      const member = await memberWithDeposits(system, ledger);
      for (const code of ["' or 1=1 --", '../../x', '%00', 'ｗｅｌｃｏｍｅ', 'โค้ด', 'x'.repeat(33), ' ', 'A B', 'ﬁ']) {
        assertRefused(await ask(system, member, code), 'NO_PROMOTION');
      }
    });
  }

  test('without a large enough, unused deposit that no withdrawal followed, a bonus is BONUS_CONDITION [R-BON-03] [R-NET-06]', async () => {
    const code = await insertOffer(system);
    assertRefused(
      await receiveBonus(system, await memberWithDeposits(system, ledger), code),
      'BONUS_CONDITION',
      'NO_DEPOSIT',
    );
    const memberBelowMinimum = await memberWithDeposits(system, ledger, '99.99');
    assertRefused(await receiveBonus(system, memberBelowMinimum, code), 'BONUS_CONDITION', 'DEPOSIT_BELOW_MINIMUM');
    const memberAfterWithdrawal = await memberWithDeposits(system, ledger, '300.00');
    assert.equal((await withdraw(system, memberAfterWithdrawal, 100)).status, 200);
    assertRefused(await receiveBonus(system, memberAfterWithdrawal, code), 'BONUS_CONDITION');
    await waitForNoOpenWithdrawals(system);
    assertRefused(await receiveBonus(system, memberAfterWithdrawal, code), 'BONUS_CONDITION', 'WITHDRAWN_SINCE');
    // The next deposit qualifies again: operators handle other cases.
    await fundWallet(ledger, memberAfterWithdrawal.id, '100.00');
    assertRefused(await receiveBonus(system, memberAfterWithdrawal, code), 'BONUS_REMAINING', 'MONEY_LEFT');
    const generousOffer = await insertOffer(system, { rest: 200_00n });
    assert.equal((await receiveBonus(system, memberAfterWithdrawal, generousOffer)).status, 200);
  });

  test('one deposit earns one bonus or promotion, never two [R-BON-03] [R-BON-05]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    assert.equal((await receiveBonus(system, member, await insertOffer(system))).status, 200);
    await endConditions(member);
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '100.00');
    for (const [sendRequest, kind] of [
      [receiveBonus, 'BONUS'],
      [redeemPromotion, 'PROMOTION'],
    ] as const) {
      const code = await insertOffer(system, { kind, rest: 1_000_00n });
      assertRefused(await sendRequest(system, member, code), 'BONUS_CONDITION', 'DEPOSIT_USED');
    }
    assert.equal(await countReceived(system, member.id), 1);
  });
});

describe('states in which a bonus is refused', () => {
  test('a bonus on a deposit already lost is refused with BONUS_CONDITION; a trial round does not matter [R-BON-03]', async () => {
    const member = await memberWithDeposits(system, ledger, '200.00');
    const { username } = await openGame(system, member.token, 'pg');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await playRound(system, 'pg', username, '20', '0');
    const strictOffer = await insertOffer(system, { rest: 19_99n });
    assertRefused(await receiveBonus(system, member, strictOffer), 'BONUS_CONDITION', 'DEPOSIT_PLAYED');
    assert.equal((await receiveBonus(system, member, await insertOffer(system, { rest: 20_00n }))).status, 200);
    // The member can't keep the lost amount: 180 remained of 200.
    const { condition, ifCleared } = await readActiveBonus(system, member);
    assert.deepEqual([condition.base, ifCleared], [380, { takesBack: 200, keeps: 180 }]);
  });

  test('a lost bonus whose end is not yet recorded does not block another one [R-BON-03]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const { username } = await openGame(system, member.token, 'pg');
    assert.equal((await receiveBonus(system, member, await insertOffer(system))).status, 200);
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 200 });
    await playRound(system, 'pg', username, '200', '0');
    await fundWallet(ledger, member.id, '100.00');
    const { status, body } = await receiveBonus(system, member, await insertOffer(system));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.condition.base, 200);
  });

  test('money in games, open bets or a silent game refuse a bonus with BONUS_REMAINING [R-BON-03] [R-NET-06]', async () => {
    const code = await insertOffer(system, { rest: 20_00n });
    const winningMember = await memberWithDeposits(system, ledger, '200.00');
    const { username } = await openGame(system, winningMember.token, 'pg');
    await transfer(system, winningMember.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await playRound(system, 'pg', username, '50', '71');
    assertRefused(await receiveBonus(system, winningMember, code), 'BONUS_REMAINING', 'MONEY_LEFT');
    await playRound(system, 'pg', username, '1', '0');
    const voidBet = await openBet(system, 'pg', username, '21');
    assertRefused(await receiveBonus(system, winningMember, code), 'BONUS_REMAINING', 'OPEN_BETS');
    await voidBet();
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 100 });
    assertRefused(await receiveBonus(system, winningMember, code), 'BONUS_REMAINING', 'GAMES_SILENT');
    await clearProviderFaults(system, 'pg');
    await openBet(system, 'pg', username, '20');
    assert.equal((await receiveBonus(system, winningMember, code)).status, 200);
    assert.equal((await readActiveBonus(system, winningMember)).condition.base, 400);
  });

  test("a claim without the X-Requested-With header, or sent by a browser's prefetch or another site, changes nothing [R-NET-06]", async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const code = await insertOffer(system);
    const { token } = member;
    for (const [call, params] of [
      ['GET /api/bonus/activate/{code}', { code }],
      ['GET /api/promotion/activate/{code}', { code }],
      ['GET /api/bonus/clear', {}],
    ] as const) {
      assertRefused(await system.api(call, { token, params, hasMarkerHeader: false }), 'KEY_MISSING', 'MARKER');
      const headers = { 'sec-purpose': 'prefetch' };
      assertRefused(await system.api(call, { token, params, headers }), 'KEY_INVALID', 'PREFETCH');
    }
    assert.equal((await readActiveBonus(system, member)).status, false);
  });

  test('a closed wallet receives no bonus: NO_WALLET [R-BON-03] [R-NET-06]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const code = await insertOffer(system);
    await closeWallet(system, member);
    for (const sendRequest of [receiveBonus, redeemPromotion])
      assertRefused(await sendRequest(system, member, code), 'NO_WALLET');
    assertRefused(await clearBonus(system, member), 'NO_WALLET');
  });
});
