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
import { type Ended, runCommand, runCommandProcess } from '../harness/command.ts';
import { freePort } from '../harness/free-port.ts';
import { eventually, openGame } from '../harness/games.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { testOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulators, type Simulators } from '../harness/simulators.ts';

const EMBEDDED = { databaseUrl: '' };
/** More than the largest file of the database, a WAL segment of 16 MB. */
const FILE_MOST = 64 * 1024 * 1024;
const GAME = 'askmebet';
const SCB = { bankCode: 'SCB', accountNo: '4680001234' };

let folder: string;
let data: string;
let wal: string;
let port: number;
let outside: ReturnType<typeof testOutside>;
let simulators: Simulators;
let world: Api;
let backup: string;
/** A moment between the registrations of the second and of the third member. */
let moment: string;
const members: TestMember[] = [];
let password: string;

const command = (
  name: 'audit' | 'backup' | 'doctor' | 'migrate' | 'operator-log' | 'reconcile' | 'restore',
  words: string[],
  dataFolder: string,
) => runCommand(EMBEDDED, name, words, { DATA_DIR: dataFolder, SECRETS_FILE: join(dataFolder, 'secrets.json') });
const startOn = (dataFolder: string): Promise<ServerProcess> =>
  startServerProcess({ ...EMBEDDED, outside }, 'warn', undefined, {
    PORT: String(port),
    DATA_DIR: dataFolder,
    SECRETS_FILE: join(dataFolder, 'secrets.json'),
    OUTSIDE_FILE: join(dataFolder, 'outside.json'),
    ...(dataFolder === data && { WAL_ARCHIVE: wal }),
  });

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-backup-'));
  [data, wal] = [join(folder, 'data'), join(folder, 'wal')];
  mkdirSync(data);
  const simulatorsPort = await freePort();
  port = await freePort();
  outside = testOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  writeOutside(join(data, 'outside.json'), outside);
  const secrets = JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') });
  appendFileSync(join(data, 'secrets.json'), secrets, { mode: 0o600 });
  simulators = await startSimulators(simulatorsPort, join(data, 'outside.json'));
  world = apiClient(`http://127.0.0.1:${simulatorsPort}`);
  const server = await startOn(data);
  const doors = { api: apiClient(server.url), world };
  const register = async () => members.push(await registerMember(doors));
  await register();
  const [first] = members as [TestMember];
  const from = { bankCode: first.bankCode, accountNo: first.bankAccountNo, accountName: first.bankAccountName };
  await bankTransfer(doors, { from, to: SCB, amount: '250.00' });
  await eventually(
    'the transfer is credited',
    () => doors.api('GET /api/wallet', first),
    ({ body }) => JSON.stringify(body).includes('250'),
  );
  ({ password } = await openGame(doors, first.token, GAME));
  mkdirSync(join(data, 'files'), { recursive: true });
  appendFileSync(join(data, 'files', 'slip.png'), 'picture');
  const made = await command('backup', [join(folder, 'backups')], data);
  assert.equal(made.status, 0, made.output);
  backup = made.output.trim();
  await register();
  moment = new Date().toISOString();
  await register();
  // It closes the last WAL file, which is archived before the database is down.
  await server.stop();
});
after(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What must hold of a restored folder: books and outside agree, members of that moment can play, later ones are not there. */
async function assertWhole(restored: string, registered: number, otherGame: string): Promise<void> {
  const audit = await command('audit', [], restored);
  assert.equal(audit.status, 0, audit.output);
  const reconciled = await command('reconcile', [], restored);
  assert.equal(reconciled.status, 0, reconciled.output);
  assert.match(reconciled.output, / 0 unexplained/);
  const server = await startOn(restored);
  try {
    const doors = { api: apiClient(server.url), world };
    for (const [index, { phone, password: own }] of members.entries()) {
      const { status } = await doors.api('POST /api/login', { body: { username: phone, password: own } });
      assert.equal(status === 200, index < registered, `member ${index + 1}: ${status}`);
    }
    const [first] = members as [TestMember];
    const token = await logIn(doors, first.phone, first.password);
    // The password of the account that was open is sealed with the key of the secrets file.
    const shown = await doors.api('GET /api/wallet/account/{slotCode}', { token, params: { slotCode: GAME } });
    assert.equal(shown.body.password, password);
    assert.ok((await openGame(doors, token, otherGame)).username, 'and another account can be opened');
    assert.match(JSON.stringify((await doors.api('GET /api/wallet', { token })).body), /250/);
  } finally {
    await server.stop();
  }
  assert.equal(readFileSync(join(restored, 'files', 'slip.png'), 'utf8'), 'picture');
}

test('a backup of a running server restores to a second folder, where books, outside and secrets fit (R-SCALE-04)', async () => {
  const restored = join(folder, 'second');
  const { status, output } = await command('restore', [backup], restored);
  assert.equal(status, 0, output);
  await assertWhole(restored, 1, 'joker2');
});

test('a backup and the archived WAL restore to a point in time, where books, outside and secrets fit (R-SCALE-04)', async () => {
  const restored = join(folder, 'moment');
  const { status, output } = await command('restore', [backup, '--until', moment, '--wal', wal], restored);
  assert.equal(status, 0, output);
  await assertWhole(restored, 2, 'pg');
});

test('the end of the archived WAL is the last moment that can be restored', async () => {
  const restored = join(folder, 'end');
  assert.equal((await command('restore', [backup, '--wal', wal], restored)).status, 0);
  const server = await startOn(restored);
  const last = members.at(-1);
  const api = apiClient(server.url);
  assert.equal(
    (await api('POST /api/login', { body: { username: last?.phone, password: last?.password } })).status,
    200,
  );
  await server.stop();
  const late = await command(
    'restore',
    [backup, '--until', '2099-01-01T00:00:00Z', '--wal', wal],
    join(folder, 'late'),
  );
  assert.equal(late.status, 1);
  assert.match(late.output, /The archived WAL ends before the moment that is asked for/);
  assert.equal(existsSync(join(folder, 'late')), false, 'and no half restore is left');
});

async function assertRefused(ending: Promise<Ended>, sentence: RegExp): Promise<void> {
  const { status, output } = await ending;
  assert.match(output, sentence);
  assert.doesNotMatch(output, /\n +at /, 'no stack');
  assert.equal(status, 1);
}

test('a backup of a database at rest works too, and a backup that is unfinished, changed or misplaced is refused', async () => {
  const atRest = await command('backup', [join(folder, 'at-rest')], data);
  assert.equal(atRest.status, 0, atRest.output);
  await assertRefused(command('restore', [atRest.output.trim()], data), /is not empty/);
  const empty = join(folder, 'none');
  await assertRefused(command('restore', [], empty), /Say what to restore/);
  await assertRefused(command('restore', [backup, '--until', moment], empty), /needs the archived WAL/);
  await assertRefused(command('restore', [backup, '--until', 'today', '--wal', wal], empty), /a moment with its zone/);
  await assertRefused(command('restore', [join(folder, 'backups')], empty), /is no complete backup/);
  await assertRefused(command('backup', [], data), /Say where to/);
  const changed = join(folder, 'changed');
  cpSync(backup, changed, { recursive: true });
  appendFileSync(join(changed, 'base.tar'), 'x');
  await assertRefused(command('restore', [changed], empty), /base\.tar of the backup .* was changed/);
  const refused = runCommand({ databaseUrl: 'postgresql://a@127.0.0.1:1/b' }, 'restore', [backup], { DATA_DIR: empty });
  await assertRefused(refused, /DATABASE_URL is set/);
  assert.equal(existsSync(empty), false);
  assert.ok(readdirSync(wal).length > 0);
});

test('a backup that can not be written whole leaves nothing behind', async () => {
  const file = join(folder, 'no-folder');
  appendFileSync(file, 'x');
  await assertRefused(command('backup', [join(file, 'in')], data), /can't be written \(ENOTDIR\)/);
  const half = join(folder, 'half');
  const withoutOutside = {
    DATA_DIR: data,
    SECRETS_FILE: join(data, 'secrets.json'),
    OUTSIDE_FILE: join(folder, 'none.json'),
  };
  await assertRefused(runCommand(EMBEDDED, 'backup', [half], withoutOutside), /none\.json is missing/);
  assert.deepEqual(readdirSync(half), []);
});

test('a restore that fails says why, and leaves a new folder away and one that was there empty', async () => {
  const broken = join(folder, 'broken');
  cpSync(backup, broken, { recursive: true });
  const tar = 'no archive';
  writeFileSync(join(broken, 'base.tar'), tar);
  const description = JSON.parse(readFileSync(join(broken, 'backup.json'), 'utf8')) as { files: { name: string }[] };
  const sha256 = createHash('sha256').update(tar).digest('hex');
  const files = description.files.map((file) => (file.name === 'base.tar' ? { ...file, sha256 } : file));
  writeFileSync(join(broken, 'backup.json'), JSON.stringify({ ...description, files }));
  const [made, there] = [join(folder, 'made'), join(folder, 'there')];
  mkdirSync(there);
  await assertRefused(command('restore', [broken], made), /The database could not be unpacked/);
  await assertRefused(command('restore', [broken], there), /The database could not be unpacked/);
  assert.equal(existsSync(made), false);
  assert.deepEqual(readdirSync(there), []);
});

test('a restore that can not copy the files of members says why, and leaves no folder', async () => {
  const large = join(folder, 'large');
  cpSync(backup, large, { recursive: true });
  mkdirSync(join(large, 'files'), { recursive: true });
  writeFileSync(join(large, 'files', 'slip'), '');
  truncateSync(join(large, 'files', 'slip'), FILE_MOST + 1);
  const made = join(folder, 'made-of-large');
  const limited = runCommandProcess(EMBEDDED, 'restore', [large], { DATA_DIR: made }, FILE_MOST);
  await assertRefused(limited, /made-of-large can't be written \(EFBIG\)/);
  assert.equal(existsSync(made), false);
});

test('a restore to a place that is no folder, or can not be one, is refused', async () => {
  const file = join(folder, 'a-file');
  appendFileSync(file, 'x');
  await assertRefused(command('restore', [backup], file), /a-file can't be written \(ENOTDIR\)/);
  await assertRefused(command('restore', [backup], join(file, 'in')), /can't be written \(ENOTDIR\)/);
  assert.equal(readFileSync(file, 'utf8'), 'x');
});

test('a backup removes no other of the same second, and writes nothing into it', async () => {
  const into = join(folder, 'same-second');
  const names = Array.from({ length: 60 }, (_, second) => {
    const at = new Date(Date.now() + second * 1_000).toISOString();
    return `krapao-${at.replaceAll(/[-:]|\.\d+/g, '')}`;
  });
  for (const name of names) {
    mkdirSync(join(into, name), { recursive: true });
    appendFileSync(join(into, name, 'base.tar'), 'x');
  }
  await assertRefused(command('backup', [into], data), /can't be written \(EEXIST\)/);
  assert.deepEqual(readdirSync(into), names);
  for (const name of names) assert.deepEqual(readdirSync(join(into, name)), ['base.tar']);
});

test('commands refuse options that they do not have, and outcomes that can not be written where they should', async () => {
  for (const name of ['backup', 'doctor', 'migrate', 'operator-log', 'audit'] as const) {
    await assertRefused(command(name, ['--nothing'], data), /Say where to|Write `npm run|There is one option/);
  }
  await assertRefused(command('audit', ['--metrics', folder], data), /can't be written \(EISDIR\)/);
});

test('a moment that no restore can reach is refused before anything is unpacked', async () => {
  const empty = join(folder, 'unreached');
  const restoreAt = (until: string, archive = wal) =>
    command('restore', [backup, '--until', until, '--wal', archive], empty);
  await assertRefused(restoreAt('2026-02-31T25:00:00Z'), /a moment with its zone/);
  await assertRefused(restoreAt('2001-01-01T00:00:00Z'), /is before this backup/);
  await assertRefused(restoreAt(moment, join(folder, 'no-wal')), /There is no folder .*no-wal/);
  await assertRefused(command('restore', [backup, wal], empty), /Say what to restore/);
  assert.equal(existsSync(empty), false);
});

test('a restored copy may not write to the archive of the original', async () => {
  const restored = join(folder, 'third');
  assert.equal((await command('restore', [backup], restored)).status, 0);
  const before = readdirSync(wal);
  await assertRefused(auditArchiving(restored, wal), /WAL_ARCHIVE, .*wal, holds the WAL of another database/);
  assert.deepEqual(readdirSync(wal), before);
  const ownArchive = await auditArchiving(restored, join(folder, 'third-wal'));
  assert.equal(ownArchive.status, 0, ownArchive.output);
});

const auditArchiving = (dataFolder: string, archive: string): Promise<Ended> =>
  runCommand(EMBEDDED, 'audit', [], {
    DATA_DIR: dataFolder,
    SECRETS_FILE: join(dataFolder, 'secrets.json'),
    WAL_ARCHIVE: archive,
  });

test('a backup is complete although archiving fails', async () => {
  const [restored, broken] = [join(folder, 'fourth'), join(folder, 'broken-wal')];
  assert.equal((await command('restore', [backup], restored)).status, 0);
  mkdirSync(broken);
  // Files of other content under the names that come next are never replaced.
  for (let segment = 1; segment < 64; segment += 1) {
    appendFileSync(join(broken, `0000000100000000000000${segment.toString(16).padStart(2, '0').toUpperCase()}`), 'x');
  }
  const env = { DATA_DIR: restored, SECRETS_FILE: join(restored, 'secrets.json'), WAL_ARCHIVE: broken };
  const made = await runCommand(EMBEDDED, 'backup', [join(folder, 'backups')], env);
  assert.equal(made.status, 0, made.output);
  const again = join(folder, 'fifth');
  assert.equal((await command('restore', [made.output.trim()], again)).status, 0);
  assert.equal((await command('audit', [], again)).status, 0);
});
