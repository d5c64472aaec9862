import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient, type Api } from '../harness/api-client.ts';
import { bankTransfer } from '../harness/bank.ts';
import { type CommandResult, runCommand, runCommandProcess } from '../harness/command.ts';
import { freePort } from '../harness/free-port.ts';
import { waitUntilResult, openGame } from '../harness/games.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { buildTestOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulators, type Simulators } from '../harness/simulators.ts';

const EMBEDDED_DATABASE = { databaseUrl: '' };
/** More than the largest file of the database, a WAL segment of 16 MB. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const GAME_CODE = 'askmebet';
const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };

let folder: string;
let data: string;
let walArchive: string;
let port: number;
let outside: ReturnType<typeof buildTestOutside>;
let simulators: Simulators;
let simulatorsApi: Api;
let backup: string;
/** A moment between the registrations of the second and of the third member. */
let backupMoment: string;
const members: TestMember[] = [];
let password: string;

const command = (
  name: 'audit' | 'backup' | 'doctor' | 'migrate' | 'operator-log' | 'reconcile' | 'restore',
  commandArgs: string[],
  dataFolder: string,
) =>
  runCommand(EMBEDDED_DATABASE, name, commandArgs, {
    DATA_DIR: dataFolder,
    SECRETS_FILE: join(dataFolder, 'secrets.json'),
  });
const startOn = (dataFolder: string): Promise<ServerProcess> =>
  startServerProcess({ ...EMBEDDED_DATABASE, outside }, 'warn', undefined, {
    PORT: String(port),
    DATA_DIR: dataFolder,
    SECRETS_FILE: join(dataFolder, 'secrets.json'),
    OUTSIDE_FILE: join(dataFolder, 'outside.json'),
    ...(dataFolder === data && { WAL_ARCHIVE: walArchive }),
  });

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-backup-'));
  [data, walArchive] = [join(folder, 'data'), join(folder, 'wal')];
  mkdirSync(data);
  const simulatorsPort = await freePort();
  port = await freePort();
  outside = buildTestOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  writeOutside(join(data, 'outside.json'), outside);
  const secrets = JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') });
  appendFileSync(join(data, 'secrets.json'), secrets, { mode: 0o600 });
  simulators = await startSimulators(simulatorsPort, join(data, 'outside.json'));
  simulatorsApi = apiClient(`http://127.0.0.1:${simulatorsPort}`);
  const server = await startOn(data);
  const clients = { api: apiClient(server.url), simulatorsApi };
  const register = async () => members.push(await registerMember(clients));
  await register();
  const [first] = members as [TestMember];
  const from = { bankCode: first.bankCode, accountNo: first.bankAccountNo, accountName: first.bankAccountName };
  await bankTransfer(clients, { from, to: SCB_ACCOUNT, amount: '250.00' });
  await waitUntilResult(
    'the transfer is credited',
    () => clients.api('GET /api/wallet', first),
    ({ body }) => JSON.stringify(body).includes('250'),
  );
  ({ password } = await openGame(clients, first.token, GAME_CODE));
  mkdirSync(join(data, 'files'), { recursive: true });
  appendFileSync(join(data, 'files', 'slip.png'), 'picture');
  const backupResult = await command('backup', [join(folder, 'backups')], data);
  assert.equal(backupResult.status, 0, backupResult.output);
  backup = backupResult.output.trim();
  await register();
  backupMoment = new Date().toISOString();
  await register();
  // Stopping closes the last WAL file, which is archived before the database stops.
  await server.stop();
});
after(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Asserts that a restored folder agrees with the simulators, that its members can play, and that later members don't
 * exist.
 */
async function assertWhole(dataDirectory: string, memberCount: number, otherGame: string): Promise<void> {
  const auditResult = await command('audit', [], dataDirectory);
  assert.equal(auditResult.status, 0, auditResult.output);
  const reconcileResult = await command('reconcile', [], dataDirectory);
  assert.equal(reconcileResult.status, 0, reconcileResult.output);
  assert.match(reconcileResult.output, / 0 unexplained/);
  const server = await startOn(dataDirectory);
  try {
    const clients = { api: apiClient(server.url), simulatorsApi };
    for (const [index, { phone, password: memberPassword }] of members.entries()) {
      const { status } = await clients.api('POST /api/login', { body: { username: phone, password: memberPassword } });
      assert.equal(status === 200, index < memberCount, `member ${index + 1}: ${status}`);
    }
    const [first] = members as [TestMember];
    const token = await logIn(clients, first.phone, first.password);
    // The game account's password is sealed with the key of the secrets file.
    const credentialsReply = await clients.api('GET /api/wallet/account/{slotCode}', {
      token,
      params: { slotCode: GAME_CODE },
    });
    assert.equal(credentialsReply.body.password, password);
    assert.ok((await openGame(clients, token, otherGame)).username, 'and another account can be opened');
    assert.match(JSON.stringify((await clients.api('GET /api/wallet', { token })).body), /250/);
  } finally {
    await server.stop();
  }
  assert.equal(readFileSync(join(dataDirectory, 'files', 'slip.png'), 'utf8'), 'picture');
}

test('a backup of a running server restores to a second folder, with matching books, outside file and secrets [R-SCALE-04]', async () => {
  const restoredDirectory = join(folder, 'second');
  const { status, output } = await command('restore', [backup], restoredDirectory);
  assert.equal(status, 0, output);
  await assertWhole(restoredDirectory, 1, 'joker2');
});

test('a backup with archived WAL restores to a point in time, with matching books, outside file and secrets [R-SCALE-04]', async () => {
  const restoredDirectory = join(folder, 'moment');
  const { status, output } = await command(
    'restore',
    [backup, '--until', backupMoment, '--wal', walArchive],
    restoredDirectory,
  );
  assert.equal(status, 0, output);
  await assertWhole(restoredDirectory, 2, 'pg');
});

test('the latest restorable moment is the end of the archived WAL', async () => {
  const restoredDirectory = join(folder, 'end');
  const whole = await command('restore', [backup, '--wal', walArchive], restoredDirectory);
  assert.equal(whole.status, 0, whole.output);
  const [, lastCommit = ''] = / has the state after the commit of (20\S+Z)\.$/m.exec(whole.output) ?? [];
  assert.ok(Date.parse(lastCommit) > Date.parse(backupMoment), whole.output);
  const server = await startOn(restoredDirectory);
  const last = members.at(-1);
  const api = apiClient(server.url);
  assert.equal(
    (await api('POST /api/login', { body: { username: last?.phone, password: last?.password } })).status,
    200,
  );
  await server.stop();
  const lateResult = await command(
    'restore',
    [backup, '--until', '2099-01-01T00:00:00Z', '--wal', walArchive],
    join(folder, 'late'),
  );
  assert.equal(lateResult.status, 1);
  assert.match(
    lateResult.output,
    new RegExp(
      `^The archived WAL ends before 2099-01-01T00:00:00Z: it has its last commit at ${lastCommit}\\. Restore `,
    ),
  );
  assert.equal(existsSync(join(folder, 'late')), false, 'and no half restore is left');
});

test('a restore with a damaged WAL file names it, and ends with status 1 at the last commit before it [R-OPS-03]', async () => {
  const damagedArchive = join(folder, 'damaged-wal');
  cpSync(walArchive, damagedArchive, { recursive: true });
  const names = readdirSync(damagedArchive).filter((name) => /^[\dA-F]{24}\.gz$/.test(name));
  const newest = String(names.toSorted().at(-1));
  truncateSync(join(damagedArchive, newest), 1_000);
  const { status, output } = await command('restore', [backup, '--wal', damagedArchive], join(folder, 'before-damage'));
  assert.equal(status, 1, output);
  assert.match(output, /before-damage has the state (?:after the commit of|at the end of the backup of) 20\S+Z\.$/m);
  assert.match(
    output,
    new RegExp(
      `^Later commits are not restored: the restore ends at ${newest.slice(0, 24)}, which is damaged\\.$`,
      'm',
    ),
  );
});

async function assertRefused(commandResult: Promise<CommandResult>, expectedMessage: RegExp): Promise<void> {
  const { status, output } = await commandResult;
  assert.match(output, expectedMessage);
  assert.doesNotMatch(output, /\n +at /, 'no stack');
  assert.equal(status, 1);
}

test('a backup of a stopped database works, and an unfinished, changed or misplaced backup is refused', async () => {
  const atRest = await command('backup', [join(folder, 'at-rest')], data);
  assert.equal(atRest.status, 0, atRest.output);
  await assertRefused(command('restore', [atRest.output.trim()], data), /is not empty/);
  const emptyDirectory = join(folder, 'none');
  await assertRefused(command('restore', [], emptyDirectory), /Say what to restore/);
  await assertRefused(command('restore', [backup, '--until', backupMoment], emptyDirectory), /needs the archived WAL/);
  await assertRefused(
    command('restore', [backup, '--until', 'today', '--wal', walArchive], emptyDirectory),
    /a moment with its zone/,
  );
  await assertRefused(command('restore', [join(folder, 'backups')], emptyDirectory), /is no complete backup/);
  await assertRefused(command('backup', [], data), /Say where to/);
  const changedBackup = join(folder, 'changed');
  cpSync(backup, changedBackup, { recursive: true });
  appendFileSync(join(changedBackup, 'base.tar'), 'x');
  await assertRefused(command('restore', [changedBackup], emptyDirectory), /base\.tar of the backup .* was changed/);
  const refusedResult = runCommand({ databaseUrl: 'postgresql://a@127.0.0.1:1/b' }, 'restore', [backup], {
    DATA_DIR: emptyDirectory,
  });
  await assertRefused(refusedResult, /DATABASE_URL is set/);
  assert.equal(existsSync(emptyDirectory), false);
  assert.ok(readdirSync(walArchive).length > 0);
});

test('a backup that cannot be written completely leaves no files behind', async () => {
  const file = join(folder, 'no-folder');
  appendFileSync(file, 'x');
  await assertRefused(command('backup', [join(file, 'in')], data), /can't be written \(ENOTDIR\)/);
  const partialBackup = join(folder, 'half');
  const environmentWithoutOutside = {
    DATA_DIR: data,
    SECRETS_FILE: join(data, 'secrets.json'),
    OUTSIDE_FILE: join(folder, 'none.json'),
  };
  await assertRefused(
    runCommand(EMBEDDED_DATABASE, 'backup', [partialBackup], environmentWithoutOutside),
    /none\.json is missing/,
  );
  assert.deepEqual(readdirSync(partialBackup), []);
});

test('a backup whose key does not open the database is refused, and --keep then removes none [R-OPS-03]', async () => {
  const wrongSecrets = join(folder, 'wrong-secrets.json');
  writeFileSync(wrongSecrets, JSON.stringify({ encryptionKey: Buffer.alloc(32, 8).toString('base64') }), {
    mode: 0o600,
  });
  const before = readdirSync(join(folder, 'backups'));
  const environment = { DATA_DIR: data, SECRETS_FILE: wrongSecrets, OUTSIDE_FILE: join(data, 'outside.json') };
  await assertRefused(
    runCommand(EMBEDDED_DATABASE, 'backup', [join(folder, 'backups'), '--keep', '1'], environment),
    /wrong-secrets\.json does not open this database/,
  );
  assert.deepEqual(readdirSync(join(folder, 'backups')), before);
});

test('a failed restore reports the reason, removes a folder it created, and leaves an existing one empty', async () => {
  const brokenBackup = join(folder, 'broken');
  cpSync(backup, brokenBackup, { recursive: true });
  const invalidArchive = 'no archive';
  writeFileSync(join(brokenBackup, 'base.tar'), invalidArchive);
  const description = JSON.parse(readFileSync(join(brokenBackup, 'backup.json'), 'utf8')) as {
    files: { name: string }[];
  };
  const sha256 = createHash('sha256').update(invalidArchive).digest('hex');
  const files = description.files.map((file) => (file.name === 'base.tar' ? { ...file, sha256 } : file));
  writeFileSync(join(brokenBackup, 'backup.json'), JSON.stringify({ ...description, files }));
  const [madeDirectory, existingDirectory] = [join(folder, 'made'), join(folder, 'there')];
  mkdirSync(existingDirectory);
  const reason = /base\.tar can't be unpacked: tar: [^\n]*\n$/;
  await assertRefused(command('restore', [brokenBackup], madeDirectory), reason);
  await assertRefused(command('restore', [brokenBackup], existingDirectory), reason);
  assert.equal(existsSync(madeDirectory), false);
  assert.deepEqual(readdirSync(existingDirectory), []);
});

test("a restore that cannot copy members' files reports the reason, and leaves no folder", async () => {
  const largeBackup = join(folder, 'large');
  cpSync(backup, largeBackup, { recursive: true });
  mkdirSync(join(largeBackup, 'files'), { recursive: true });
  writeFileSync(join(largeBackup, 'files', 'slip'), '');
  truncateSync(join(largeBackup, 'files', 'slip'), FILE_BYTES_MAX + 1);
  const targetDirectory = join(folder, 'made-of-large');
  const limitedResult = runCommandProcess(
    EMBEDDED_DATABASE,
    'restore',
    [largeBackup],
    { DATA_DIR: targetDirectory },
    FILE_BYTES_MAX,
  );
  await assertRefused(limitedResult, /made-of-large can't be written \(EFBIG\)/);
  assert.equal(existsSync(targetDirectory), false);
});

test('a restore to a path that is not a folder, or cannot become one, is refused', async () => {
  const file = join(folder, 'a-file');
  appendFileSync(file, 'x');
  await assertRefused(command('restore', [backup], file), /a-file can't be written \(ENOTDIR\)/);
  await assertRefused(command('restore', [backup], join(file, 'in')), /can't be written \(ENOTDIR\)/);
  assert.equal(readFileSync(file, 'utf8'), 'x');
});

test('a backup in the same second as another neither removes nor changes it', async () => {
  const targetDirectory = join(folder, 'same-second');
  const names = Array.from({ length: 60 }, (_, second) => {
    const restoreTime = new Date(Date.now() + second * 1_000).toISOString();
    return `krapao-${restoreTime.replaceAll(/[-:]|\.\d+/g, '')}`;
  });
  for (const name of names) {
    mkdirSync(join(targetDirectory, name), { recursive: true });
    appendFileSync(join(targetDirectory, name, 'base.tar'), 'x');
  }
  await assertRefused(command('backup', [targetDirectory], data), /can't be written \(EEXIST\)/);
  assert.deepEqual(readdirSync(targetDirectory), names);
  for (const name of names) assert.deepEqual(readdirSync(join(targetDirectory, name)), ['base.tar']);
});

test('backup commands refuse unknown options and outputs that cannot be written', async () => {
  for (const name of ['backup', 'doctor', 'migrate', 'operator-log', 'audit'] as const) {
    await assertRefused(command(name, ['--nothing'], data), /Say where to|Write `krapao|There is one option/);
  }
  await assertRefused(command('audit', ['--metrics', folder], data), /can't be written \(EISDIR\)/);
});

test('a moment that no restore can reach is refused before the backup is unpacked', async () => {
  const emptyDirectory = join(folder, 'unreached');
  const restoreAt = (untilTime: string, archive = walArchive) =>
    command('restore', [backup, '--until', untilTime, '--wal', archive], emptyDirectory);
  for (const noMoment of ['2026-02-31T25:00:00Z', '2026-02-30T18:00:00Z', '2027-02-29T18:00:00+07:00']) {
    await assertRefused(restoreAt(noMoment), /a moment with its zone/);
  }
  await assertRefused(restoreAt('2001-01-01T00:00:00Z'), /is before the end of this backup/);
  const { databaseEndedAt } = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')) as Record<string, string>;
  const duringBackup = new Date(Date.parse(databaseEndedAt ?? '') - 1).toISOString();
  await assertRefused(restoreAt(duringBackup), /is before the end of this backup/);
  await assertRefused(
    restoreAt(backupMoment, join(folder, 'no-wal')),
    /There is no folder .*no-wal, which --wal names/,
  );
  await assertRefused(restoreAt(backupMoment, join(backup, 'base.tar')), /base\.tar is not a folder, .*\(ENOTDIR\)/);
  await assertRefused(restoreAt(backupMoment, ''), /--wal names no folder/);
  const quotedArchive = join(folder, 'wal of old');
  mkdirSync(quotedArchive);
  await assertRefused(restoreAt(backupMoment, quotedArchive), /may hold letters, digits and . \/ _ \+ - only/);
  await assertRefused(command('restore', [backup, walArchive], emptyDirectory), /Say what to restore/);
  assert.equal(existsSync(emptyDirectory), false);
});

test('a restored copy may not write to the archive of the original', async () => {
  const restoredDirectory = join(folder, 'third');
  assert.equal((await command('restore', [backup], restoredDirectory)).status, 0);
  const before = readdirSync(walArchive);
  await assertRefused(
    runAuditArchiving(restoredDirectory, walArchive),
    /WAL_ARCHIVE, .*wal, holds the WAL of another database/,
  );
  assert.deepEqual(readdirSync(walArchive), before);
  const auditResult = await runAuditArchiving(restoredDirectory, join(folder, 'third-wal'));
  assert.equal(auditResult.status, 0, auditResult.output);
});

const runAuditArchiving = (dataFolder: string, archive: string): Promise<CommandResult> =>
  runCommand(EMBEDDED_DATABASE, 'audit', [], {
    DATA_DIR: dataFolder,
    SECRETS_FILE: join(dataFolder, 'secrets.json'),
    WAL_ARCHIVE: archive,
  });

test('a backup is complete although archiving fails', async () => {
  const [restoredDirectory, brokenArchive] = [join(folder, 'fourth'), join(folder, 'broken-wal')];
  assert.equal((await command('restore', [backup], restoredDirectory)).status, 0);
  mkdirSync(brokenArchive);
  // Archiving never replaces existing files with the next names.
  for (let segmentNumber = 1; segmentNumber < 64; segmentNumber += 1) {
    appendFileSync(
      join(brokenArchive, `0000000100000000000000${segmentNumber.toString(16).padStart(2, '0').toUpperCase()}`),
      'x',
    );
  }
  const env = {
    DATA_DIR: restoredDirectory,
    SECRETS_FILE: join(restoredDirectory, 'secrets.json'),
    WAL_ARCHIVE: brokenArchive,
  };
  const backupResult = await runCommand(EMBEDDED_DATABASE, 'backup', [join(folder, 'backups')], env);
  assert.equal(backupResult.status, 0, backupResult.output);
  const repeatedDirectory = join(folder, 'fifth');
  assert.equal((await command('restore', [backupResult.output.trim()], repeatedDirectory)).status, 0);
  assert.equal((await command('audit', [], repeatedDirectory)).status, 0);
});
