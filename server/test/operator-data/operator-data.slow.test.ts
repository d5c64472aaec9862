import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { seedOperatorData } from '../../src/modules/operator-data/seed.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember } from '../harness/members.ts';
import { waitForSettingsReload, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

// oxlint-disable-next-line typescript/no-explicit-any
async function fetchOperatorData(name: string, cookie?: string): Promise<any> {
  const { status, body } = await system.api(`GET /api/lookup/${name}`, cookie ? { headers: { cookie } } : {});
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
  return body;
}

test('every endpoint of operator data replies to a visitor', async () => {
  const lookupPaths = Object.values(endpoints)
    .map(({ path }) => path)
    .filter((path) => path.startsWith('/api/lookup/'));
  assert.equal(lookupPaths.length, 15);
  for (const path of lookupPaths)
    assert.equal((await system.api(`GET ${path}`, { hasMarkerHeader: false })).status, 200, path);
});

test('banks have code and names, Thai banks first', async () => {
  const listedBanks = (await fetchOperatorData('banks')) as { code: string; nameTH: string; nameEN: string }[];
  assert.deepEqual(listedBanks[0], {
    code: 'KBANK',
    nameTH: 'ธนาคารกสิกรไทย',
    nameEN: 'Kasikornbank',
    nameLA: 'ທະນາຄານກະສິກອນໄທ',
  });
  const codes = listedBanks.map(({ code }) => code);
  for (const code of ['SCB', 'BBL', 'KTB', 'TMB', 'BAY', 'GSB', 'BCEL', 'LDB', 'JDB'])
    assert.ok(codes.includes(code), code);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(codes.indexOf('SCB') < codes.indexOf('BCEL'));
});

test('a bank has the same name in the list of banks and among deposit methods; without a Lao name the English one', async () => {
  type LocalizedNames = { nameTH: string; nameEN: string; nameLA: string };
  const listedBanks = (await fetchOperatorData('banks')) as (LocalizedNames & { code: string })[];
  const names = new Map(listedBanks.map(({ code, ...bank }) => [code, bank]));
  assert.deepEqual(names.get('BCEL'), {
    nameTH: 'ธนาคารการค้าต่างประเทศลาว',
    nameEN: 'BCEL',
    nameLA: 'ທະນາຄານການຄ້າຕ່າງປະເທດລາວ',
  });
  assert.equal(names.get('HSBC')?.nameLA, 'HSBC');
  const depositBanks = ((await fetchOperatorData('deposit')) as { banks: { bankCode: string; bank: LocalizedNames }[] })
    .banks;
  const namedBanks = depositBanks.filter(({ bankCode }) => names.has(bankCode));
  assert.ok(namedBanks.length >= 5);
  for (const { bankCode, bank } of namedBanks) assert.deepEqual(bank, names.get(bankCode), bankCode);
  const gateway = depositBanks.find(({ bankCode }) => bankCode === 'WW')?.bank;
  assert.deepEqual(gateway, { nameTH: 'QR WW', nameEN: 'QR WW', nameLA: 'QR WW' });
});

test('look-up texts are in the language of the cookie, Thai without one', async () => {
  const thaiSources = await fetchOperatorData('sources');
  assert.deepEqual(thaiSources[0], { code: 'FRIEND', description: 'เพื่อนแนะนำ' });
  assert.deepEqual(await fetchOperatorData('sources', 'a=1; language=TH'), thaiSources);
  assert.equal((await fetchOperatorData('sources', 'language=EN'))[0].description, 'A friend');
  assert.equal((await fetchOperatorData('sources', 'language=LA; b=2'))[0].description, 'ໝູ່ແນະນຳ');
  assert.deepEqual(await fetchOperatorData('sources', 'language=XX'), thaiSources);
  for (const name of ['conditions', 'agreements', 'notice', 'contact']) {
    const localizedNames = await Promise.all(
      ['TH', 'LA', 'EN'].map(async (value) => JSON.stringify(await fetchOperatorData(name, `language=${value}`))),
    );
    assert.equal(new Set(localizedNames).size, 3, name);
  }
  assert.match((await fetchOperatorData('notice', 'language=EN')).notice, /\{\{percentFail\}\}/);
  // An agreement accepted in one language is accepted in all.
  assert.equal(
    (await fetchOperatorData('info', 'language=LA')).agreementVersion,
    (await fetchOperatorData('info')).agreementVersion,
  );
});

test('the contact look-up contains a QR image of its link', async () => {
  const contact = await fetchOperatorData('contact');
  assert.match(contact.lineQR, /^data:image\/svg\+xml;base64,/);
  assert.match(Buffer.from(contact.lineQR.split(',')[1], 'base64').toString(), /^<svg /);
  assert.match(contact.lineLink, /^https:/);
});

test("the deposit, withdraw, slip and info look-ups return the operator's values", async () => {
  const { banks, wallets, isManual } = await fetchOperatorData('deposit');
  assert.equal(isManual, true);
  const walletApp = { walletAccountName: 'KRAPAO', walletAccountNo: '0800000001' };
  assert.deepEqual(wallets, [
    { mode: 'AUTO', ...walletApp },
    { mode: 'GIFT', ...walletApp },
  ]);
  assert.deepEqual(banks[0], {
    bankCode: 'KBANK',
    bankType: 'PAYMENT',
    mode: 'QR',
    bank: { nameTH: 'ธนาคารกสิกรไทย', nameEN: 'Kasikornbank', nameLA: 'ທະນາຄານກະສິກອນໄທ' },
    bankAccountName: '',
    bankAccountNo: '',
    currency: 'BAHT',
    minimum: 1,
    maximum: 200_000,
  });
  assert.deepEqual(await fetchOperatorData('withdraw'), { withdrawMin: 100, withdrawMax: 50_000 });
  const { agreementVersion, phoneRanges, ...info } = await fetchOperatorData('info');
  assert.deepEqual(info, { name: 'Krapao', website: system.url, gameTab: 'new', truelinkSecret: 'krapao' });
  assert.ok((phoneRanges as string[]).includes('06xxxxxxxx'), String(phoneRanges));
  assert.match(agreementVersion, /^[\w-]{16}$/);
  const slip = await fetchOperatorData('slip');
  assert.equal(typeof slip.isOpen, 'boolean');
  assert.deepEqual([slip.closedFrom, slip.closedTo, slip.expireMinutes, slip.maxMB], ['23:30', '00:30', 60, 10]);
  assert.deepEqual(await fetchOperatorData('registerOTP'), { registerOTP: true });
  assert.deepEqual(await fetchOperatorData('enableChatWidget'), { enableChatWidget: true });
});

test('malformed Lao names of banks are ignored, and every call succeeds', async () => {
  await setSettings(system, { bankNamesLA: 'BCEL' });
  await waitForSettingsReload();
  const listedBanks = (await fetchOperatorData('banks')) as { code: string; nameLA: string }[];
  assert.equal(listedBanks.find(({ code }) => code === 'BCEL')?.nameLA, 'BCEL');
  await setSettings(system, { bankNamesLA: { BCEL: 'ທຄຕລ' } });
  await waitForSettingsReload();
  const namedBanks = (await fetchOperatorData('banks')) as { code: string; nameLA: string }[];
  assert.equal(namedBanks.find(({ code }) => code === 'BCEL')?.nameLA, 'ທຄຕລ');
});

test("an operator's change applies within a second, and a restart does not undo it", async () => {
  const before = (await fetchOperatorData('info')).agreementVersion;
  await system.database.query(`update operator_data_source set is_enabled = false where code <> 'OTHER'`);
  await system.database.query(`update operator_data_text set la = la || '.' where kind = 'agreement'`);
  await waitForSettingsReload();
  const { agreementVersion } = await fetchOperatorData('info');
  assert.notEqual(agreementVersion, before);
  await system.database.query('delete from operator_data_text');
  await setSettings(system, { withdraw: { BAHT: { min: '0.50', max: '20.15' }, LAK: { min: '7.00', max: '9.00' } } });
  await seedOperatorData(system.database);
  await waitForSettingsReload();
  assert.deepEqual(await fetchOperatorData('sources'), [{ code: 'OTHER', description: 'อื่น ๆ' }]);
  assert.deepEqual(await fetchOperatorData('conditions'), []);
  assert.deepEqual(await fetchOperatorData('withdraw'), { withdrawMin: 0.5, withdrawMax: 20.15 });
});

test('servers that start concurrently insert the seed once', async () => {
  await system.database.query(
    'truncate operator_data_seeded, operator_data_bank, operator_data_source, operator_data_text, deposit_account, deposit_wallet_app, operator_data_setting, operator_data_limit',
  );
  await Promise.all([1, 2, 3].map(() => seedOperatorData(system.database)));
  await waitForSettingsReload();
  assert.ok((await fetchOperatorData('banks')).length > 30);
  assert.equal((await fetchOperatorData('conditions')).length, 3);
});

test('a terminated site replies `gone` to every call except those for its status and support [R-NET-06]', async () => {
  const { token } = await registerMember(system);
  assert.deepEqual(await fetchOperatorData('active'), { terminated: '' });
  await setSettings(system, { status: { terminated: 'gone' } });
  try {
    assert.deepEqual(await fetchOperatorData('active'), { terminated: 'gone' });
    assert.ok('lineLink' in ((await fetchOperatorData('contact')) as object));
    const openCalls = ['GET /api/lookup/active', 'GET /api/lookup/contact'];
    const otherCalls = Object.keys(endpoints).filter((name) => !openCalls.includes(name));
    assert.ok(otherCalls.length > 50);
    for (const apiCall of otherCalls) {
      assertRefused(await system.api(apiCall), 'gone');
      assertRefused(await system.api(apiCall, { token }), 'gone');
    }
  } finally {
    await setSettings(system, { status: { terminated: '' } });
  }
  assert.equal((await system.api('GET /api/account/profile', { token })).status, 200);
});
