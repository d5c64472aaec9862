import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { insertOffer, listBonuses, receiveBonus } from '../bonus/bonus-fixtures.ts';
import { transfer } from '../harness/games.ts';
import { gamingMemberWith } from '../harness/gaming-member.ts';
import { registerMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { singlePrizeWheel, winCoupon } from '../spinwheel/wheel-fixtures.ts';
import { type ConfigRunner, configRunner, problemsOf, SIGNATURE } from './config-fixtures.ts';

let system: System;
let ledger: Ledger;
let config: ConfigRunner;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  config = configRunner(system);
  await config.run('list');
});
after(async () => {
  await ledger.close();
  await system.stop();
  config.remove();
});

type Coded = { code: string };
const without = <Item extends Coded>(items: readonly Item[], code: string): Item[] =>
  items.filter((item) => item.code !== code);
const withChange = <Item extends Coded>(items: readonly Item[], code: string, change: object): Item[] =>
  items.map((item) => (item.code === code ? { ...item, ...change } : item));

test('a bank or source that members have can be disabled, not removed', async () => {
  await registerMember(system, { bankCode: 'BBL', sourceCode: 'TIKTOK' });
  for (const [subject, code] of [
    ['banks', 'BBL'],
    ['sources', 'TIKTOK'],
  ] as const) {
    const items = await config.show<Coded[]>(subject);
    assert.deepEqual(problemsOf(await config.apply(subject, without(items, code))), [
      `the document: ${code} is missing, but 1 members have it: set "isEnabled": false`,
    ]);
    await config.applied(subject, withChange(items, code, { isEnabled: false }));
  }
  await waitForSettingsReload();
  const { body: banks } = await system.api('GET /api/lookup/banks');
  assert.ok(!(banks as Coded[]).some(({ code }) => code === 'BBL'));
  const { body: sources } = await system.api('GET /api/lookup/sources');
  assert.ok(!(sources as Coded[]).some(({ code }) => code === 'TIKTOK'));
});

test('a game with members can be hidden or set in maintenance, not removed, and keeps multiplier and provider', async () => {
  const member = await gamingMemberWith(system, ledger, '500.00');
  assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 })).status, 200);
  const games = await config.show<Coded[]>('games');
  assert.match(
    problemsOf(await config.apply('games', without(games, 'pg'))).join('\n'),
    /^the document: pg is missing, but 1 members have an account there: set "isHidden": true$/,
  );
  const stopped = withChange(games, 'pg', { inMaintenance: true });
  const hidden = withChange(stopped, 'pg', { inMaintenance: true, isHidden: true });
  assert.match(await config.applied('games', hidden), /\n→ pg is hidden, except .*\n→ pg is in maintenance: /);
  assert.match(
    await config.applied('games', games),
    /\n→ pg is shown to every member again\.\n→ pg is no longer in maintenance: /,
  );
  assert.match(await config.applied('games', stopped), /\n→ pg is in maintenance: /);
  for (const change of [{ ftWalletSlot: 10 }, { provider: 'joker2' }]) {
    assert.match(
      problemsOf(await config.apply('games', withChange(stopped, 'pg', change))).join('\n'),
      /^\[1\]\.(ftWalletSlot|provider): changes only for a game without accounts, or one that is in maintenance/,
    );
  }
  const { body } = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 1 });
  assert.equal(body.message, 'GAME_ACTIVATION_FAIL');
  const other = { ftWalletSlot: 7 };
  assert.equal((await config.apply('games', withChange(games, 'askmebet', other))).status, 1, 'without maintenance');
  await config.applied('games', withChange(games, 'askmebet', { inMaintenance: true }));
  await config.applied('games', withChange(games, 'askmebet', { ...other, inMaintenance: true }));
  await config.applied('games', withChange(games, 'royal', other));
  await config.applied('games', without(games, 'royal'));
});

test('config apply refuses to remove a game with money or a bank with accounts, even when SQL broke another row', async () => {
  const member = await gamingMemberWith(system, ledger, '500.00');
  assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 })).status, 200);
  await system.database.query(`update game set logo = 'no path' where code = 'goldendraw'`);
  const repaired = withChange(await config.show<Coded[]>('games'), 'goldendraw', { logo: '' });
  for (const change of [{ ftWalletSlot: 10 }, { provider: 'joker2' }]) {
    assert.match(
      problemsOf(await config.applyOverNewest('games', withChange(repaired, 'pg', change))).join('\n'),
      /^\[\d+\]\.(ftWalletSlot|provider): changes only for a game without accounts/,
    );
  }
  assert.match(
    problemsOf(await config.applyOverNewest('games', without(repaired, 'pg'))).join('\n'),
    /pg is missing, but \d+ members/,
  );
  await config.applied('games', repaired);

  await system.database.query(`update operator_data_bank set name_en = ' ' where code = 'KTB'`);
  const banks = withChange(await config.show<Coded[]>('banks'), 'KTB', { nameEN: 'KTB' });
  assert.deepEqual(problemsOf(await config.applyOverNewest('banks', without(banks, 'KBANK'))), [
    'the document: KBANK is missing, but deposit-accounts has an account there',
  ]);
  await config.applied('banks', banks);
});

test('any game can be set in maintenance while the outside file lacks the provider of one', async () => {
  const games = await config.show<Coded[]>('games');
  await system.database.query(`update game set provider = 'gone' where code = 'naga'`);
  const changed = await config.show<Coded[]>('games');
  await config.applied('games', withChange(changed, 'goldendraw', { inMaintenance: true }));
  await config.applied('games', withChange(await config.show<Coded[]>('games'), 'naga', { isHidden: true }));
  const shown = withChange(await config.show<Coded[]>('games'), 'naga', { isHidden: false });
  assert.match(
    problemsOf(await config.applyOverNewest('games', shown)).join('\n'),
    /^\[\d+\]\.provider: the outside file has no/,
  );
  await config.applied('games', games);
});

test('an offer that was received can be switched off, not deleted, and keeps its counts', async () => {
  const offer = await config.show<{ amounts: Record<string, object> }>('offer:LUCKY50');
  const amounts = { BAHT: { ...offer.amounts['BAHT'], budget: '120.00' } };
  const created = { ...offer, code: 'DECEMBER', quota: 3, amounts };
  assert.match(await config.applied('offer:DECEMBER', created), /^Version 1 of offer:DECEMBER is in force/);
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal((await receiveBonus(system, member, 'DECEMBER')).status, 200);
  const document = await config.show<typeof created>('offer:DECEMBER');
  assert.match(
    problemsOf(await config.apply('offer:DECEMBER', null)).join('\n'),
    /received or chosen 1 times: set "isOn"/,
  );
  assert.match(
    problemsOf(await config.apply('offer:DECEMBER', { ...document, quota: 0 })).join('\n'),
    /^quota: 1 are received already$/,
  );
  const small = { BAHT: { ...document.amounts.BAHT, budget: '49.99' } };
  assert.match(
    problemsOf(await config.apply('offer:DECEMBER', { ...document, amounts: small })).join('\n'),
    /^amounts\.BAHT\.budget: 50\.00 is spent already$/,
  );
  const { rows } = await system.database.query(`select given as counted from bonus_offer where code = 'DECEMBER'`);
  assert.deepEqual(rows, [{ counted: 1 }]);
  const off = { ...document, isOn: false, quota: 9 };
  assert.match(await config.applied('offer:DECEMBER', off), /\n→ DECEMBER is off: no further member receives it\.\n/);
  assert.match(
    await config.applied('offer:DECEMBER', { ...off, isOn: true }),
    /\n→ DECEMBER is on: members receive it under its terms\.\n/,
  );
  await config.applied('offer:DECEMBER', off);
  const other = await registerMember(system);
  assert.ok(!(await listBonuses(system, other)).some(({ code }) => code === 'DECEMBER'));
  assert.deepEqual(
    (await system.database.query(`select given as counted from bonus_offer where code = 'DECEMBER'`)).rows,
    [{ counted: 1 }],
  );
});

test('config apply of null deletes an offer that was never received, and a rollback restores it', async () => {
  const code = await insertOffer(system);
  const document = await config.show(`offer:${code}`);
  assert.match(await config.applied(`offer:${code}`, null), new RegExp(`\n→ ${code} is deleted\\.\n`));
  assert.equal(await config.show(`offer:${code}`), null);
  assert.match((await config.run('list')).output, new RegExp(`\noffer:${code} .*\\(does not exist\\)\n`));
  await config.run('rollback', `offer:${code}`, '1', ...SIGNATURE);
  assert.deepEqual(await config.show(`offer:${code}`), document);
});

test('config apply refuses an offer without a prize in both currencies while the wheel or an open coupon names it', async () => {
  const member = await registerMember(system);
  await winCoupon(system, member, { kind: 'BONUS', bonus: 'WHEEL' });
  await config.show('wheel');
  const offer = await config.show<{ amounts: { BAHT: object } }>('offer:WHEEL');
  for (const document of [null, { ...offer, amounts: { BAHT: offer.amounts.BAHT } }]) {
    assert.match(
      problemsOf(await config.apply('offer:WHEEL', document)).join('\n'),
      /the document: slice A of the wheel and slice B of the wheel and 1 open coupons need it as a BONUS or PRIZE/,
    );
  }
  await config.applied('wheel', singlePrizeWheel({ kind: 'NONE' }));
  assert.match(problemsOf(await config.apply('offer:WHEEL', null)).join('\n'), /the document: 1 open coupons need it/);
  assert.match(
    await config.applied('offer:WHEEL', { ...offer, isOn: false }),
    /\n→ Coupons of 1 open coupons wait while the offer is off\.\n/,
  );
});

test('config check without a readable outside file reports that references to it are unchecked', async () => {
  const accounts = await config.show<{ accounts: object[] }>('deposit-accounts');
  const path = config.write({ ...accounts, accounts: accounts.accounts.slice(1) });
  const result = await config.run('check', 'deposit-accounts', path);
  assert.doesNotMatch(result.output, /outside file/);
  const blind = configRunner({ ...system, outside: {} as never });
  const { status, output } = await blind.run('check', 'deposit-accounts', path);
  blind.remove();
  assert.equal(status, 0);
  assert.match(output, /\n→ The outside file can't be read, so references to it are not checked\.\n/);
});
