import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { registerMember, type TestMember } from '../harness/members.ts';
import { waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type ConfigRunner, configRunner, SIGNATURE } from './config-fixtures.ts';

const SETTINGS = [
  'status',
  'info',
  'contact',
  'notice',
  'bankNamesLA',
  'bankApps',
  'gameProviders',
  'withdraw',
  'slip',
  'registerOTP',
  'phoneRanges',
  'enableChatWidget',
  'isManual',
  'spinwheel',
];
const SUBJECTS = [
  ...SETTINGS.map((name) => `setting:${name}`),
  'texts:condition',
  'texts:agreement',
  'banners:invite',
  'banners:refund',
  'banks',
  'sources',
  'deposit-accounts',
  'limits',
  'networks',
  'games',
  'refunds',
  'invites',
  'wheel',
  ...['WELCOME', 'DAILY', 'WEEKLY', 'LUCKY50', 'KRAPAO100', 'VIP25', 'SONGKRAN69', 'WHEEL'].map(
    (code) => `offer:${code}`,
  ),
];

let system: System;
let config: ConfigRunner;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system, { sourceCode: 'LINE' });
  config = configRunner(system);
});
after(async () => {
  await system.stop();
  config.remove();
});

const countVersions = async (): Promise<number> =>
  Number((await system.database.query<{ n: bigint }>('select count(*) as n from config_version')).rows[0]?.n);

test("config list names every subject, and the seed's documents as version 1 by seed", async () => {
  const { status, output } = await config.run('list');
  assert.equal(status, 0);
  const rows = output.trimEnd().split('\n');
  assert.equal(rows.at(-1), `${SUBJECTS.length} subjects`);
  assert.deepEqual(new Set(rows.slice(0, -1).map((row) => row.split(' ')[0])), new Set(SUBJECTS));
  for (const row of rows.slice(0, -1)) assert.match(row, /^\S+ +version 1 +\d{4}-\d\d-\d\d .* seed +as delivered$/);
});

test('config apply of what show prints makes the seed version 2 by the operator, and changes nothing when repeated', async () => {
  await config.run('list');
  const before = await countVersions();
  for (const subject of SUBJECTS) {
    const { output: shown } = await config.run('show', subject);
    const path = config.write(shown);
    const checked = await config.run('check', subject, path);
    assert.match(checked.output, /changes 0 values of version 1\.\n$/, subject);
    assert.deepEqual(await config.run('diff', subject, path), { status: 0, output: '' }, subject);
    const chosen = await config.run('apply', subject, path, ...SIGNATURE);
    assert.deepEqual(chosen, { status: 0, output: `Version 2 of ${subject} is in force, by operator:nok.\n` });
    const applied = await config.run('apply', subject, path, ...SIGNATURE);
    assert.deepEqual(applied, {
      status: 0,
      output: `Nothing to change: version 2 of ${subject} is the same.\n`,
    });
    assert.equal((await config.run('show', subject)).output, shown, subject);
  }
  assert.equal(await countVersions(), before + SUBJECTS.length);
});

test('config apply accepts the files of server/seed, and fills missing fields with defaults', async () => {
  for (const [subject, file] of [
    ['banks', 'banks'],
    ['sources', 'sources'],
    ['games', 'games'],
    ['limits', 'limits'],
    ['wheel', 'wheel'],
  ] as const) {
    const seed = readFileSync(join(import.meta.dirname, `../../seed/${file}.json`), 'utf8');
    assert.match(await config.applied(subject, seed), /^(?:Nothing to change: v|V)ersion 2 of /, subject);
  }
});

/** A changed document per kind of subject, and the call that shows it. */
type Changed = { subject: string; change: (document: never) => unknown; path: string; has: RegExp };
const changes: Changed[] = [
  {
    subject: 'setting:info',
    change: (document: object) => ({ ...document, name: 'Basil' }),
    path: 'GET /api/lookup/info',
    has: /"name":"Basil"/,
  },
  {
    subject: 'setting:withdraw',
    change: (document: object) => ({ ...document, BAHT: { min: '123.00', max: '456.00' } }),
    path: 'GET /api/lookup/withdraw',
    has: /"withdrawMin":123,"withdrawMax":456/,
  },
  {
    subject: 'texts:agreement',
    change: (texts: object[]) => [{ th: 'ใหม่', la: 'ໃໝ່', en: 'new' }, ...texts],
    path: 'GET /api/lookup/agreements',
    has: /^\["ใหม่"/,
  },
  {
    subject: 'banners:invite',
    change: () => [{ image: '', th: 'ป้าย', la: 'ປ້າຍ', en: 'banner' }],
    path: 'GET /api/invite/banners',
    has: /"html":"ป้าย"/,
  },
  {
    subject: 'banks',
    change: (banks: object[]) => banks.map((bank) => ({ ...bank, nameTH: 'ธนาคาร' })),
    path: 'GET /api/lookup/banks',
    has: /"nameTH":"ธนาคาร"/,
  },
  {
    subject: 'sources',
    change: (sources: object[]) => [...sources.slice(1), { code: 'RADIO', th: 'วิทยุ', la: 'ວິທະຍຸ', en: 'Radio' }],
    path: 'GET /api/lookup/sources',
    has: /^(?!.*FRIEND).*"RADIO"/,
  },
  {
    subject: 'deposit-accounts',
    change: ({ accounts, walletApp }: { accounts: { bankCode: string }[]; walletApp: object[] }) => ({
      accounts: accounts.map((account) => (account.bankCode === 'FP' ? { ...account, minimum: '77.50' } : account)),
      walletApp: walletApp.map((wallet) => ({ ...wallet, isEnabled: false })),
    }),
    path: 'GET /api/lookup/deposit',
    has: /"minimum":77\.5.*"wallets":\[\]/,
  },
];

test('API calls return a changed document of each kind within a second [R-OPS-01]', async () => {
  for (const { subject, change } of changes) {
    const output = await config.applied(subject, change(await config.show(subject)));
    assert.match(output, new RegExp(`^Version \\d of ${subject} is in force, by operator:nok\\.\n`));
  }
  await waitForSettingsReload();
  for (const { subject, path, has } of changes) {
    const { status, body } = await system.api(path, { token: member.token });
    assert.equal(status, 200, subject);
    assert.match(JSON.stringify(body), has, subject);
  }
});
