import { strict as assert } from 'node:assert';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { waitForSettingsReload, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';

const BAHT_LIMITS = { withdrawMin: 100, withdrawMax: 50_000 };
const LAK_LIMITS = { withdrawMin: 50_000, withdrawMax: 25_000_000 };

describe('limits of a withdrawal, for each currency', () => {
  let system: System;
  let ledger: Ledger;
  let kipMember: TestMember;
  let baht: TestMember;
  before(async () => {
    system = await startSystem({ variant: 'lao' });
    ledger = createTestLedger(system);
    await setPayoutDelay(system, 50);
    kipMember = await newMember('LAK');
    baht = await newMember('BAHT');
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function newMember(currency: 'LAK' | 'BAHT'): Promise<TestMember> {
    const phone = `205${String(randomInt(10_000_000)).padStart(7, '0')}`;
    const member = await registerMember(system, { phone, currency, bankCode: currency === 'LAK' ? 'BCEL' : 'SCB' });
    await fundWallet(ledger, member.id, currency === 'LAK' ? '60000000.00' : '90000.00', currency);
    return member;
  }
  async function readLimits(token?: string): Promise<unknown> {
    const { status, body } = await system.api('GET /api/lookup/withdraw', token === undefined ? {} : { token });
    assert.equal(status, 200);
    return body;
  }

  test('the look-up returns a member the limits of their currency, and a visitor those of the site variant', async () => {
    assert.deepEqual(await readLimits(kipMember.token), LAK_LIMITS);
    assert.deepEqual(await readLimits(baht.token), BAHT_LIMITS);
    assert.deepEqual(await readLimits(), LAK_LIMITS);
    for (const invalidToken of ['x'.repeat(43), '', 'no token at all', `${kipMember.token}x`]) {
      assert.deepEqual(await readLimits(invalidToken), LAK_LIMITS, 'a session that is none is a visitor');
    }
  });

  test("both withdrawal calls enforce the limits of the member's currency [R-WDR-02]", async () => {
    for (const requestPayout of [withdraw, withdrawAll]) {
      for (const [member, { withdrawMin, withdrawMax }] of [
        [kipMember, LAK_LIMITS],
        [baht, BAHT_LIMITS],
      ] as const) {
        assertRefused(await requestPayout(system, member, withdrawMin - 1), 'TRANSFER_MINIMUM', 'WITHDRAW_MINIMUM');
        assertRefused(await requestPayout(system, member, withdrawMax + 1), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
    }
    assert.equal((await withdraw(system, kipMember, LAK_LIMITS.withdrawMax)).status, 200);
    assert.equal((await withdraw(system, baht, BAHT_LIMITS.withdrawMax)).status, 200);
    await waitForNoOpenWithdrawals(system);
    assert.equal((await withdrawAll(system, kipMember, LAK_LIMITS.withdrawMin)).status, 200);
    assert.equal((await withdrawAll(system, baht, BAHT_LIMITS.withdrawMin)).status, 200);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, kipMember), '25050000.00');
    assert.equal(await readReceivedAmount(system, baht), '50100.00');
  });

  test('kip are paid out whole: a fraction is refused, and nothing is rounded [R-WDR-02]', async () => {
    for (const requestPayout of [withdraw, withdrawAll]) {
      for (const fraction of [0.01, 0.5, 0.99]) {
        assertRefused(
          await requestPayout(system, kipMember, LAK_LIMITS.withdrawMin + fraction),
          'TRANSFER_MINIMUM',
          'AMOUNT_INVALID',
        );
      }
    }
    assert.equal((await withdraw(system, baht, BAHT_LIMITS.withdrawMin + 0.5)).status, 200);
    await waitForNoOpenWithdrawals(system);
  });

  test('a stored maximum of 0 refuses all new withdrawals, whatever the amount', async () => {
    await system.database.query(
      `update operator_data_setting set value = jsonb_set(jsonb_set(value, '{BAHT,max}', '"0.00"'), '{LAK,max}', '"0.00"') where name = 'withdraw'`,
    );
    await waitForSettingsReload();
    for (const requestPayout of [withdraw, withdrawAll]) {
      for (const amount of [BAHT_LIMITS.withdrawMin, 500, BAHT_LIMITS.withdrawMax]) {
        assertRefused(await requestPayout(system, baht, amount), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
    }
    await setSettings(system, {
      withdraw: { BAHT: { min: '100.00', max: '50000.00' }, LAK: { min: '50000.00', max: '25000000.00' } },
    });
    assert.equal((await withdraw(system, baht, BAHT_LIMITS.withdrawMin)).status, 200);
    await waitForNoOpenWithdrawals(system);
  });
});
