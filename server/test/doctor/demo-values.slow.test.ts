import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ConfigRunner, configRunner, SIGNATURE } from '../config/config-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { runCommand } from '../harness/command.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let config: ConfigRunner;
let directory: string;
before(async () => {
  system = await startSystem({ simulators: false });
  config = configRunner(system);
  directory = mkdtempSync(join(tmpdir(), 'krapao-demo-'));
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
});
after(async () => {
  rmSync(directory, { recursive: true });
  config.remove();
  await system.stop();
});

const readSeed = <Seed>(name: string): Seed =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../seed/${name}.json`), 'utf8')) as Seed;

/** The doctor's lines about demo values, each with its remedy. */
async function findDemoValues(outside: System['outside'] = system.outside, simulators = 'off'): Promise<string> {
  writeOutside(join(directory, 'outside.json'), outside);
  const { output } = await runCommand(system, 'doctor', [], { DATA_DIR: directory, SIMULATORS: simulators });
  const lines = output.split('\n');
  return lines.flatMap((line, index) => (line.includes(' demo values: ') ? [line, lines[index + 1]] : [])).join('\n');
}

/** The outside file with real accounts only. */
const withRealAccounts = (): System['outside'] => {
  const { bank, walletApp, ...outside } = structuredClone(system.outside);
  const accounts = bank.accounts.map((account, index) => ({
    ...account,
    accountNo: `555000111${index}`.padEnd(12, '0'),
  }));
  return {
    ...outside,
    bank: { ...bank, accounts },
    ...(walletApp && { walletApp: { ...walletApp, phone: '0899999999' } }),
  };
};

test('in production doctor names every demo value in use, with the command that replaces it [R-OPS-02]', async () => {
  assert.equal(await findDemoValues(system.outside, 'on'), '');
  const output = await findDemoValues();
  const offers = readSeed<{ code: string; kind: string }[]>('bonuses');
  const faults = [
    `${system.simulatorsUrl} is the address of the simulators: payments there are not real (sms.url, `,
    ...['SCB 4680001234', 'KBANK 1238004567', 'GSB 020123456789', 'BCEL 010120001234567'].map(
      (account) => `${account} in the outside file is a demo account`,
    ),
    'the demo phone 0800000001',
    'the demo contact https://line.me/R/ti/p/%40krapao-demo',
    ...['texts:agreement', 'texts:condition', 'wheel', 'refunds', 'invites'].map((name) => `${name} is as delivered`),
    ...offers.map(({ code, kind }) =>
      kind === 'PROMOTION' ? `The code ${code} is on, and public` : `The offer ${code} is on with its demo terms`,
    ),
  ];
  assert.ok(offers.length >= 8);
  const lines = output.split('\n');
  for (const sentence of faults) {
    const index = lines.findIndex((line) => line.startsWith('FAULT ') && line.includes(sentence));
    assert.ok(index >= 0, `${sentence} is not in\n${output}`);
    assert.match(lines[index + 1] ?? '', /^ +→ .*(?:krapao (?:config|offers) |docs\/deploy\/go-live\.md\.$)/);
  }
  assert.equal(output.match(/^FAULT/gm)?.length, faults.length, output);
  for (const name of [
    'setting:info',
    'setting:notice',
    'setting:withdraw',
    'banners:invite',
    'banners:refund',
    'games',
  ]) {
    assert.match(output, new RegExp(`^WARNING  demo values: ${name} is as delivered`, 'm'));
  }
  const { bank } = system.outside;
  const dashed = bank.accounts.map((account) => ({
    ...account,
    accountNo: account.accountNo.replace(/^(...)/, '$1-'),
  }));
  assert.match(
    await findDemoValues({ ...system.outside, bank: { ...bank, accounts: dashed } }),
    /468-0001234 in the outside file is a demo account/,
  );
  assert.match(output, /banners:invite is as delivered: it promises members a referral bonus\.$/m);
});

test("in production the start logs doctor's findings, and no member is shown a demo account beside real ones [R-OPS-02]", async () => {
  const server = await startServerProcess({ databaseUrl: system.databaseUrl, outside: withRealAccounts() });
  try {
    const log = await server.waitForLog(/texts:agreement is as delivered[^]*setting:info is as delivered/);
    assert.match(log, /"level":50[^\n]*texts:agreement is as delivered[^\n]*krapao config apply texts:agreement/);
    assert.match(log, /"level":40[^\n]*setting:info is as delivered/);
    assert.match(log, /"level":50[^\n]*127\.0\.0\.1:\d+ is the address of the simulators/);
    const { body } = await apiClient(server.url)('GET /api/lookup/deposit');
    assert.deepEqual(body.wallets, []);
    assert.deepEqual(
      body.banks.filter(({ bankType }: { bankType: string }) => bankType === 'BANK'),
      [],
    );
    assert.equal(body.banks.length, 5, 'the gateways remain');
  } finally {
    await server.stop();
  }
});

test('doctor knows the simulators by port, name or paths, and warns of any other party on this machine', async () => {
  const levels: Readonly<Record<string, string | undefined>> = {
    'http://outside:3101/x': 'FAULT',
    'https://games.invalid:3100/': 'FAULT',
    'https://simulators.invalid/games': 'FAULT',
    'http://127.0.0.2:8443/games/imi': 'WARNING',
    'https://localhost:9/': 'WARNING',
    'http://[::1]:99/': 'WARNING',
    'http://0.0.0.0:1/': 'WARNING',
    'https://one.invalid/games/slotracha': undefined,
    'https://127.0.0.1.invalid/': undefined,
    'https://outside.invalid/': undefined,
  };
  const outside = withRealAccounts();
  const games = Object.entries(outside.games).map(([name, game], index) => {
    return [name, { ...game, url: Object.keys(levels)[index] ?? game.url }] as const;
  });
  assert.ok(games.length > Object.keys(levels).length);
  const output = await findDemoValues({ ...outside, games: Object.fromEntries(games) as typeof outside.games });
  for (const [index, [url, level]] of Object.entries(levels).entries()) {
    const name = games[index]?.[0] ?? '';
    const line = output.split('\n').find((text) => text.includes(`(games.${name}.url)`)) ?? '';
    assert.equal(/^(?:FAULT|WARNING)/.exec(line)?.[0], level, `${url}: ${line}\n${output}`);
  }
});

test('doctor does not report documents applied, changed or switched off by an operator, but changes by SQL and rollbacks', async () => {
  const outside = withRealAccounts();
  assert.doesNotMatch(await findDemoValues(outside), /demo account|demo phone/);
  await config.applied('texts:agreement', await config.show('texts:agreement'));
  const contact = await config.show<object>('setting:contact');
  await config.applied('setting:contact', { ...contact, lineLink: 'https://line.me/R/ti/p/%40basil' });
  await config.applied('refunds', { ...(await config.show<object>('refunds')), isActive: false });
  await config.applied('offer:WELCOME', { ...(await config.show<object>('offer:WELCOME')), percent: 50 });
  await config.applied('offer:VIP25', await config.show('offer:VIP25'));
  const off = await runCommand(system, 'offers', ['off', 'KRAPAO100', ...SIGNATURE]);
  assert.equal(off.status, 0, off.output);
  await system.database.query(`update bonus_offer set percent = 20 where code = 'DAILY'`);
  await system.database.query(`update bonus_offer set percent_success = 350 where code = 'SONGKRAN69'`);
  const output = await findDemoValues(outside);
  assert.doesNotMatch(output, /texts:agreement|demo contact|refunds|WELCOME|VIP25|KRAPAO100|DAILY/);
  assert.match(output, /^FAULT .*The code SONGKRAN69 is on, and public/m, 'other terms do not hide a public code');
  assert.match(output, /^FAULT .*The offer WEEKLY is on with its demo terms/m);
  await config.applied('setting:spinwheel', { ...(await config.show<object>('setting:spinwheel')), isActive: false });
  assert.doesNotMatch(await findDemoValues(outside), /wheel/);
  for (const subject of ['offer:KRAPAO100', 'refunds']) {
    assert.equal((await config.run('rollback', subject, '1', ...SIGNATURE)).status, 0);
  }
  const rolledBack = await findDemoValues(outside);
  assert.match(rolledBack, /^FAULT .*The code KRAPAO100 is on, and public/m);
  assert.match(rolledBack, /^FAULT .*refunds is as delivered/m);
});
