import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { runCommand } from '../harness/command.ts';
import { createInstallation, type Installation } from './installation.ts';

let installation: Installation;
before(async () => {
  installation = await createInstallation();
});
after(() => installation.remove());

/** Asserts that the doctor reports each line, and after a fault or warning a remedy. */
async function assertReports(
  lines: readonly RegExp[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { output } = await installation.runDoctor(environment);
  const outputLines = output.split('\n');
  for (const expected of lines) {
    const index = outputLines.findIndex((line) => expected.test(line));
    assert.ok(index >= 0, `${String(expected)} is not in\n${output}`);
    if (!outputLines[index]?.startsWith('right')) assert.match(outputLines[index + 1] ?? '', /^ +→ \S/);
  }
}

test('doctor warns of an audit and a reconciliation that never ran or are old, and reports their findings as faults [R-OPS-05]', async () => {
  const { database } = installation;
  await assertReports([/^right +audit: .* ago and found 0 checks wrong/, /^right +reconcile: .* found 0 differences/]);
  await database.query('delete from check_run');
  await assertReports([/^WARNING +audit: krapao audit never ran/, /^WARNING +reconcile: krapao reconcile never ran/]);
  const { output } = await runCommand({ databaseUrl: '' }, 'audit', [], { DATA_DIR: installation.data });
  assert.match(output, / 0 wrong\n$/);
  await assertReports([/^right +audit: The last krapao audit ended \d+ s ago/, /^WARNING +reconcile: .* never ran/]);
  await database.query(`update check_run set ended_at = now() - interval '27 hours'`);
  await assertReports([/^WARNING +audit: The last krapao audit ended 1 d ago/]);
  await database.query(`insert into check_run (name, wrong) values ('reconcile', 2)`);
  await assertReports([/^FAULT +reconcile: .* found 2 differences without an explanation/]);
});

test('each stopped switch is a warning with its operator, time and reason', async () => {
  const environment = { DATA_DIR: installation.data };
  await assertReports([/^right +switches: None of \d+ is stopped/]);
  const stopArgs = ['stop', 'withdrawals.send', 'somchai', 'the', 'bank', 'moves'];
  assert.equal((await runCommand({ databaseUrl: '' }, 'switches', stopArgs, environment)).status, 0);
  await assertReports([
    /^WARNING +switches: withdrawals\.send \(.*\) is stopped since 20\d\d-\d\d-\d\d [\d:]{8}\+07:00 by operator:somchai: the bank moves\./,
  ]);
  const startArgs = ['start', 'withdrawals.send', 'somchai', 'the', 'bank', 'moved'];
  assert.equal((await runCommand({ databaseUrl: '' }, 'switches', startArgs, environment)).status, 0);
  await assertReports([/^right +switches: /]);
});

test('doctor reports plain http with its fields: on this machine as a warning, elsewhere as a fault [R-OPS-05]', async () => {
  const production = { SIMULATORS: 'off' };
  const { output } = await installation.runDoctor(production);
  assert.doesNotMatch(output, /^right +TLS/m);
  await assertReports([/^WARNING +TLS: http:\/\/127\.0\.0\.1:9 is plain http/], production);
  installation.writeOutside(({ games: { pg } }) => ({
    publicUrl: 'HTTP://play.example.com',
    games: pg ? { pg: { ...pg, url: 'http://games.example.com/api' } } : {},
  }));
  const faulty = await installation.runDoctor(production);
  for (const [origin, field] of [
    ['http://play.example.com', 'publicUrl'],
    ['http://games.example.com', 'games.pg.url'],
  ] as const) {
    const sentence = `TLS: ${origin} is spoken to without encryption.\n         → Use its https address: ${field}.`;
    assert.ok(faulty.output.includes(sentence), faulty.output);
  }
  installation.writeOutside();
});

test('doctor warns of a key that nothing proves, and reports a key that does not open the database as a fault [R-OPS-05]', async () => {
  const { database, secretsFile } = installation;
  const writeKey = (byte: number): void =>
    writeFileSync(secretsFile, JSON.stringify({ encryptionKey: Buffer.alloc(32, byte).toString('base64') }));
  writeKey(9);
  await assertReports([/^FAULT +encryption at rest: This database was written with another encryption key/]);
  writeKey(7);
  await assertReports([/^right +encryption at rest: There is one key, and it opens this database/]);
  await database.query('create table kept as select * from encryption_check');
  await database.query('delete from encryption_check');
  await assertReports([/^WARNING +encryption at rest: No server has started on this database/]);
  await database.query('insert into encryption_check select * from kept');
  await database.query('drop table kept');
});

test('without a deposit method, a game or a payout account doctor warns instead of finding all parties [R-OPS-05]', async () => {
  installation.writeOutside(({ bank }) => ({
    bank: { ...bank, accounts: bank.accounts.filter(({ currency }) => currency === 'LAK') },
  }));
  const { output } = await installation.runDoctor({ SIMULATORS: 'off' });
  for (const sentence of [
    'No deposit method is offered.',
    'No game is visible.',
    "No account of bank.accounts pays out BAHT: members with such a wallet can't withdraw.",
  ]) {
    assert.ok(output.includes(`WARNING  counterparties: ${sentence}\n`), output);
  }
  assert.doesNotMatch(output, /^right +counterparties|pays out LAK/m);
  installation.writeOutside(({ bank }) => ({ bank: { ...bank, accounts: bank.accounts.slice(0, 1) } }));
  await assertReports([/^WARNING +counterparties: No account of bank\.accounts pays out LAK/], {
    SIMULATORS: 'off',
    VARIANT: 'lao',
  });
  installation.writeOutside();
});

test('an enabled deposit method that no server reads is a warning [R-OPS-05]', async () => {
  const { database } = installation;
  await database.query(
    `insert into deposit_account (bank_code, bank_type, mode, name_th, name_en, account_name, account_no, currency, position, is_enabled)
     values ('SCB', 'BANK', 'AUTO', 'SCB', 'SCB', 'KRAPAO COMPANY LIMITED', '4680001234', 'BAHT', 1, true)`,
  );
  await assertReports([/^WARNING +feeds: bank:SCB-4680001234 is a deposit method, and no server reads it/]);
  await database.query('delete from deposit_account');
  await assertReports([/^right +feeds: /]);
});

test('doctor warns of a collation without a version, and of unarchived WAL of real money [R-OPS-05]', async () => {
  const { database } = installation;
  await database.query(`create collation versionless (provider = libc, locale = 'C.UTF-8')`);
  await database.query(`update pg_collation set collversion = null where collname = 'versionless'`);
  await database.query('create table sorted (name text collate versionless)');
  await database.query('create index sorted_name on sorted (name)');
  await assertReports([/^WARNING +collation: The collation of versionless has no version/]);
  await database.query('drop table sorted');
  await database.query('drop collation versionless');
  await assertReports([/^right +collation: /, /^right +archive: No WAL is archived: the money is simulated/]);
  await assertReports([/^WARNING +archive: archive_mode is off/], { SIMULATORS: 'off' });
});
