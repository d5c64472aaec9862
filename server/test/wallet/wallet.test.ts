import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { openGame, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
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
const slot = (code: string, category: string, ftWalletSlot: number) => ({
  code,
  category,
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
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('names games in the language of the caller, and brands by their one name', async () => {
    const { token } = await registerMember(system);
    for (const [language, draw] of [
      ['TH', 'หวยลูกทอง'],
      ['LA', 'ຫວຍໝາກບານທອງ'],
      ['EN', 'Golden Draw'],
    ] as const) {
      const { body } = await system.api('GET /api/wallet', { token, headers: { cookie: `language=${language}` } });
      const nameOf = (gameCode: string) => body.slots.find(({ code }: { code: string }) => code === gameCode)?.name;
      assert.deepEqual([nameOf('goldendraw'), nameOf('pg')], [draw, 'PG SLOT']);
    }
  });

  test('shows the money whatever is wrong with the settings of invites and of the wheel', async () => {
    const member = await registerMember(system);
    await fund(ledger, member.id, '700.00');
    const { rows } = await system.database.query<{ name: string; value: unknown }>(
      `select name, value from lookup_setting where name in ('invite', 'spinwheel')`,
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

  test('shows everything that a member has [R-NET-01]', async () => {
    const member = await registerMember(system, { name: 'Malee', bankCode: 'SCB', bankAccountName: 'MALEE THONG' });
    const empty = await system.api('GET /api/wallet', { token: member.token });
    assert.equal(empty.status, 200);
    assert.deepEqual(empty.body.wallet, { amount: 0, inTransit: 0 });
    assert.equal(empty.body.eventSequence, '0');
    const { profile, bankAccount } = empty.body;
    assert.deepEqual(
      [profile.name, profile.username, profile._id, profile.coin, profile.currency],
      ['Malee', member.phone, member.id, 0, 'BAHT'],
    );
    assert.deepEqual([bankAccount.bankCode, bankAccount.bankAccountNo], ['SCB', member.bankAccountNo]);
    assert.deepEqual(empty.body.invite, { amount: 0, success: 100, fail: 10 });
    assert.deepEqual(
      empty.body.slots.map(
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
        slot('canal', 'slot', 5),
        slot('pg', 'slot', 1),
        slot('jewels', 'slot', 10),
        slot('joker2', 'slot', 1),
        slot('pgslot', 'slot', 1),
        slot('betflix', 'slot', 10),
        slot('slotracha', 'slot', 1),
        slot('areaslot', 'slot', 5),
        slot('naga', 'slot', 1),
        { ...slot('goalline', 'sport', 1), inMaintenance: true },
        slot('askmebet', 'sport', 10),
        slot('ninedice', 'sport', 100),
        slot('imi', 'sport', 1),
        slot('usun', 'sport', 10),
        slot('circus', 'sport', 1),
        slot('saming', 'sport', 1),
        { ...slot('mekongdraw', 'lotto', 10), inMaintenance: true },
        slot('goldendraw', 'lotto', 20),
        { ...slot('twicemonth', 'lotto', 1), inMaintenance: true },
        slot('huayhd', 'lotto', 1),
        slot('royal', 'lotto', 1),
      ],
    );
    assert.ok(Math.abs(Date.parse(empty.body.updatedAt) - Date.now()) < 60_000);
  });

  test('follows the money to the last satang, and says up to which event [R-NET-01]', async () => {
    const member = await registerMember(system);
    await openGame(system, member.token, 'pg');
    await fund(ledger, member.id, '1234567.89');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 0.29 + 1 });
    const { body } = await system.api('GET /api/wallet', { token: member.token });
    assert.deepEqual(body.wallet, { amount: 1234566.6, inTransit: 0 });
    const slot = body.slots.find(({ code }: { code: string }) => code === 'pg');
    assert.equal(slot.amount, 1.29);
    assert.equal(slot.isActive, true);
    assert.deepEqual(await ledger.eventsSince(member.id, BigInt(body.eventSequence)), []);
    await fund(ledger, member.id, '1.00');
    assert.equal((await ledger.eventsSince(member.id, BigInt(body.eventSequence))).length, 1);
  });

  test('is shown to its member only [R-ROLE-01]', async () => {
    const [rich, poor] = [await registerMember(system), await registerMember(system)];
    await fund(ledger, rich.id, '500.00');
    assert.equal((await system.api('GET /api/wallet', { token: poor.token })).body.wallet.amount, 0);
    assert.equal((await system.api('GET /api/wallet')).body.message, 'UNAUTHORIZED');
  });
});
