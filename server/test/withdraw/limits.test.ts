import { strict as assert } from 'node:assert';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { noticed, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, receivedBy, withdraw, withdrawAll } from './payout-fixtures.ts';

const BAHT = { withdrawMin: 100, withdrawMax: 50_000 };
const LAK = { withdrawMin: 50_000, withdrawMax: 25_000_000 };

describe('limits of a withdrawal, for each currency', () => {
  let system: System;
  let ledger: Ledger;
  let kip: TestMember;
  let baht: TestMember;
  before(async () => {
    system = await startSystem({ variant: 'lao' });
    ledger = ledgerOf(system);
    await payoutsTake(system, 50);
    kip = await newMember('LAK');
    baht = await newMember('BAHT');
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function newMember(currency: 'LAK' | 'BAHT'): Promise<TestMember> {
    const phone = `205${String(randomInt(10_000_000)).padStart(7, '0')}`;
    const member = await registerMember(system, { phone, currency, bankCode: currency === 'LAK' ? 'BCEL' : 'SCB' });
    await fund(ledger, member.id, currency === 'LAK' ? '60000000.00' : '90000.00', currency);
    return member;
  }
  async function look(token?: string): Promise<unknown> {
    const { status, body } = await system.api('GET /api/lookup/withdraw', token === undefined ? {} : { token });
    assert.equal(status, 200);
    return body;
  }

  test('the look-up returns a member the limits of their currency, and a visitor those of the build', async () => {
    assert.deepEqual(await look(kip.token), LAK);
    assert.deepEqual(await look(baht.token), BAHT);
    assert.deepEqual(await look(), LAK);
    for (const noSession of ['x'.repeat(43), '', 'no token at all', `${kip.token}x`]) {
      assert.deepEqual(await look(noSession), LAK, 'a session that is none is a visitor');
    }
  });

  test('both ways to withdraw keep to them: kip are not measured in baht [R-WDR-02]', async () => {
    for (const ask of [withdraw, withdrawAll]) {
      for (const [member, { withdrawMin, withdrawMax }] of [
        [kip, LAK],
        [baht, BAHT],
      ] as const) {
        assertRefused(await ask(system, member, withdrawMin - 1), 'TRANSFER_MINIMUM', 'WITHDRAW_MINIMUM');
        assertRefused(await ask(system, member, withdrawMax + 1), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
    }
    assert.equal((await withdraw(system, kip, LAK.withdrawMax)).status, 200);
    assert.equal((await withdraw(system, baht, BAHT.withdrawMax)).status, 200);
    await nothingOpen(system);
    assert.equal((await withdrawAll(system, kip, LAK.withdrawMin)).status, 200);
    assert.equal((await withdrawAll(system, baht, BAHT.withdrawMin)).status, 200);
    await nothingOpen(system);
    assert.equal(await receivedBy(system, kip), '25050000.00');
    assert.equal(await receivedBy(system, baht), '50100.00');
  });

  test('kip are paid out whole: a part of one is refused, and nothing is rounded [R-WDR-02]', async () => {
    for (const ask of [withdraw, withdrawAll]) {
      for (const part of [0.01, 0.5, 0.99]) {
        assertRefused(await ask(system, kip, LAK.withdrawMin + part), 'TRANSFER_MINIMUM', 'AMOUNT_INVALID');
      }
    }
    assert.equal((await withdraw(system, baht, BAHT.withdrawMin + 0.5)).status, 200);
    await nothingOpen(system);
  });

  test('a greatest amount of 0 stops all new withdrawals, whatever the amount (docs/runbooks/operator-data.md)', async () => {
    await system.database.query(
      `update lookup_setting set value = jsonb_set(jsonb_set(value, '{BAHT,max}', '"0.00"'), '{LAK,max}', '"0.00"') where name = 'withdraw'`,
    );
    await noticed();
    for (const ask of [withdraw, withdrawAll]) {
      for (const amount of [BAHT.withdrawMin, 500, BAHT.withdrawMax]) {
        assertRefused(await ask(system, baht, amount), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
    }
    await setSettings(system, {
      withdraw: { BAHT: { min: '100.00', max: '50000.00' }, LAK: { min: '50000.00', max: '25000000.00' } },
    });
    assert.equal((await withdraw(system, baht, BAHT.withdrawMin)).status, 200);
    await nothingOpen(system);
  });
});
