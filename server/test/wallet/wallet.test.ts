import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { openGame, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Games whose launch path ends with the password. */
const BY_PASSWORD = [
  'askmebet',
  'ninedice',
  'goalline',
  'mekongdraw',
  'goldendraw',
  'twicemonth',
  'imi',
  'usun',
  'circus',
  'slotracha',
  'pgslot',
];

/** A game without an account yet. */
const emptySlotOf = (code: string, category: string, ftWalletSlot: number) => ({
  code,
  category: category,
  isActive: false,
  amount: 0,
  ftWalletSlot,
  launchNeedsPassword: BY_PASSWORD.includes(code),
  inMaintenance: false,
});

describe('the wallet', () => {
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

  test("the wallet names games in the caller's language, and brands by their only name", async () => {
    const { token } = await registerMember(system);
    for (const [language, luckyDrawText] of [
      ['TH', 'หวยลูกทอง'],
      ['LA', 'ຫວຍໝາກບານທອງ'],
      ['EN', 'Golden Draw'],
    ] as const) {
      const { body } = await system.api('GET /api/wallet', { token, headers: { cookie: `language=${language}` } });
      const nameOf = (gameCode: string) => body.slots.find(({ code }: { code: string }) => code === gameCode)?.name;
      assert.deepEqual([nameOf('goldendraw'), nameOf('pg')], [luckyDrawText, 'PG SLOT']);
    }
  });

  test('the wallet is returned despite invalid settings of invites and wheel', async () => {
    const member = await registerMember(system);
    await fundWallet(ledger, member.id, '700.00');
    const { rows } = await system.database.query<{ name: string; value: unknown }>(
      `select name, value from operator_data_setting where name in ('invite', 'spinwheel')`,
    );
    await setSettings(system, { invite: { percent: 'much' }, spinwheel: { coinPer: 'free' } });
    try {
      const { status, body } = await system.api('GET /api/wallet', { token: member.token });
      assert.equal(status, 200);
      assert.deepEqual([body.wallet.amount, body.profile.coin, body.invite.amount], [700, 0, 0]);
    } finally {
      await setSettings(system, Object.fromEntries(rows.map(({ name, value }) => [name, value])));
    }
    assert.equal((await system.api('GET /api/wallet', { token: member.token })).body.profile.coin, 2);
  });

  test('the wallet contains all accounts, bonuses and coins of the member [R-NET-01]', async () => {
    const member = await registerMember(system, { name: 'Malee', bankCode: 'SCB', bankAccountName: 'MALEE THONG' });
    const emptyReply = await system.api('GET /api/wallet', { token: member.token });
    assert.equal(emptyReply.status, 200);
    assert.deepEqual(emptyReply.body.wallet, { amount: 0, inTransit: 0 });
    assert.equal(emptyReply.body.eventSequence, '0');
    const { profile, bankAccount } = emptyReply.body;
    assert.deepEqual(
      [profile.name, profile.username, profile._id, profile.coin, profile.currency],
      ['Malee', member.phone, member.id, 0, 'BAHT'],
    );
    assert.deepEqual([bankAccount.bankCode, bankAccount.bankAccountNo], ['SCB', member.bankAccountNo]);
    assert.deepEqual(emptyReply.body.invite, { amount: 0, success: 100, fail: 10 });
    assert.deepEqual(
      emptyReply.body.slots.map(
        ({ code, category, isActive, amount, ftWalletSlot, launchNeedsPassword, inMaintenance }: never) => ({
          code,
          category,
          isActive,
          amount,
          ftWalletSlot,
          launchNeedsPassword,
          inMaintenance,
        }),
      ),
      [
        emptySlotOf('canal', 'slot', 5),
        emptySlotOf('pg', 'slot', 1),
        emptySlotOf('jewels', 'slot', 10),
        emptySlotOf('joker2', 'slot', 1),
        emptySlotOf('pgslot', 'slot', 1),
        emptySlotOf('betflix', 'slot', 10),
        emptySlotOf('slotracha', 'slot', 1),
        emptySlotOf('areaslot', 'slot', 5),
        emptySlotOf('naga', 'slot', 1),
        { ...emptySlotOf('goalline', 'sport', 1), inMaintenance: true },
        emptySlotOf('askmebet', 'sport', 10),
        emptySlotOf('ninedice', 'sport', 100),
        emptySlotOf('imi', 'sport', 1),
        emptySlotOf('usun', 'sport', 10),
        emptySlotOf('circus', 'sport', 1),
        emptySlotOf('saming', 'sport', 1),
        { ...emptySlotOf('mekongdraw', 'lotto', 10), inMaintenance: true },
        emptySlotOf('goldendraw', 'lotto', 20),
        { ...emptySlotOf('twicemonth', 'lotto', 1), inMaintenance: true },
        emptySlotOf('huayhd', 'lotto', 1),
        emptySlotOf('royal', 'lotto', 1),
      ],
    );
    assert.ok(Math.abs(Date.parse(emptyReply.body.updatedAt) - Date.now()) < 60_000);
  });

  test('the wallet follows money to the last satang, and states its last event [R-NET-01]', async () => {
    const member = await registerMember(system);
    await openGame(system, member.token, 'pg');
    await fundWallet(ledger, member.id, '1234567.89');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 0.29 + 1 });
    const { body } = await system.api('GET /api/wallet', { token: member.token });
    assert.deepEqual(body.wallet, { amount: 1234566.6, inTransit: 0 });
    const slot = body.slots.find(({ code }: { code: string }) => code === 'pg');
    assert.equal(slot.amount, 1.29);
    assert.equal(slot.isActive, true);
    assert.deepEqual(await ledger.eventsSince(member.id, BigInt(body.eventSequence)), []);
    await fundWallet(ledger, member.id, '1.00');
    assert.equal((await ledger.eventsSince(member.id, BigInt(body.eventSequence))).length, 1);
  });

  test('the wallet is returned to its member only [R-ROLE-01]', async () => {
    const [richMember, poorMember] = [await registerMember(system), await registerMember(system)];
    await fundWallet(ledger, richMember.id, '500.00');
    assert.equal((await system.api('GET /api/wallet', { token: poorMember.token })).body.wallet.amount, 0);
    assert.equal((await system.api('GET /api/wallet')).body.message, 'UNAUTHORIZED');
  });
});
