import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { readFirstWalFile } from '../../src/platform/backup/wal-files.ts';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { runCommandProcess } from '../harness/command.ts';
import { BackedUp } from './backed-up.ts';

const HOUR_MS = 3_600_000;
const CLI_PATH = join(import.meta.dirname, '../../src/cli/krapao.ts');

let system: BackedUp;
before(async () => {
  system = await BackedUp.start();
});
after(() => system.stop());

const backupNames = (): string[] => readdirSync(system.backups).toSorted();
const walNames = (): string[] =>
  readdirSync(system.archive)
    .filter((name) => /^[\dA-F]{24}.*\.gz$/.test(name))
    .toSorted();
const firstWalName = () => walNames().find((name) => /^[\dA-F]{24}\.gz$/.test(name));
const pause = () => new Promise((resolve) => setTimeout(resolve, 1_100));

function formatBackupName(daysOld: number): string {
  const at = new Date(Date.now() - daysOld * 24 * HOUR_MS).toISOString();
  return `krapao-${at.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function putFolder(name: string, hoursOld: number): string {
  const path = join(system.backups, name);
  mkdirSync(path);
  writeFileSync(join(path, 'base.tar'), 'half');
  const at = new Date(Date.now() - hoursOld * HOUR_MS);
  for (const each of [join(path, 'base.tar'), path]) utimesSync(each, at, at);
  return path;
}

test('a backup with --keep 7 removes older backups and the WAL before the kept ones, each of which still restores', async () => {
  await system.mark('a');
  const first = await system.backup();
  await system.mark('b');
  await pause();
  const second = await system.backup();
  const moment = await system.mark('c');
  await pause();
  const third = await system.backup();
  await system.mark('d');
  const oldest = system.age(first, 9);
  const kept = [system.age(second, 6), system.age(third, 1)];
  const walBefore = walNames();
  const { status, output } = await system.run('backup', [system.backups, '--keep', '7']);
  assert.equal(status, 0, output);
  assert.match(output, new RegExp(`^removed ${oldest}$`, 'm'));
  assert.match(output, /^removed \d+ WAL files?, \d+ MB$/m);
  assert.deepEqual(
    backupNames().slice(0, 2),
    kept.map((path) => basename(path)),
  );
  assert.equal(backupNames().length, 3);
  assert.ok(walNames().length < walBefore.length);
  assert.ok(existsSync(join(system.archive, 'owner')));
  assert.deepEqual(await system.restoredMarks(kept[0] ?? '', 'one', moment), ['a', 'b', 'c']);
  assert.deepEqual(await system.restoredMarks(kept[1] ?? '', 'two'), ['a', 'b', 'c', 'd']);
  const beforeSecond = walBefore.filter((name) => !walNames().includes(name));
  assert.ok(beforeSecond.length > 0 && beforeSecond.every((name) => name < (walNames()[0] ?? '')));
});

test('WAL is removed by its position on any timeline, compressed or not; history and other files stay', async () => {
  const low = [
    '000000020000000000000000.gz',
    '000000010000000000000000',
    '000000010000000000000000.00000028.backup.gz',
    '000000010000000000000000.partial',
    '000000010000000000000000.part',
  ];
  const others = ['00000002.history.gz', '00000003.history', '0000000200000FFF00000000.gz', 'notes.txt'];
  for (const name of [...low, ...others]) writeFileSync(join(system.archive, name), 'x');
  await pause();
  await system.backup(['--keep', '7']);
  for (const name of low) assert.equal(existsSync(join(system.archive, name)), false, name);
  for (const name of others) {
    assert.ok(existsSync(join(system.archive, name)), name);
    rmSync(join(system.archive, name));
  }
});

test('the last complete backup is kept at any age while newer ones fail or are incomplete', async () => {
  await pause();
  const good = await system.backup();
  for (const name of backupNames())
    if (name !== basename(good)) rmSync(join(system.backups, name), { recursive: true });
  const old = system.age(good, 100);
  const incomplete = putFolder('krapao-20990101T000000Z', 0);
  const wal = walNames();
  const putBack = system.withoutOutside();
  const metricsFile = join(system.folder, 'backup.prom');
  const { status, output } = await system.run('backup', ['--keep', '1', '--metrics', metricsFile]);
  putBack();
  assert.equal(status, 1);
  assert.match(output, /outside\.json is missing/);
  assert.deepEqual(
    backupNames(),
    [old, incomplete].map((path) => basename(path)),
  );
  assert.deepEqual(walNames().slice(0, wal.length), wal);
  const metrics = readFileSync(metricsFile, 'utf8');
  assert.match(metrics, /^krapao_backup_failed 1$/m);
  const oldSeconds = Number(/^krapao_backup_timestamp_seconds (\d+)$/m.exec(metrics)?.[1]);
  assert.ok(Math.abs(Date.now() / 1_000 - oldSeconds - 100 * 86_400) < 600, 'the age is that of the complete one');
  rmSync(incomplete, { recursive: true });
});

test('an interrupted backup is removed 12 hours after its last write, and other files are not', async () => {
  const interrupted = putFolder('krapao-20250101T000000Z', 13);
  const running = putFolder('krapao-20250102T000000Z', 11);
  const foreign = putFolder('other-20250101T000000Z', 1_000);
  const link = join(system.backups, 'krapao-20250103T000000Z');
  symlinkSync(system.data, link);
  await pause();
  await system.backup(['--keep', '7']);
  assert.equal(existsSync(interrupted), false);
  for (const path of [running, foreign, link, join(system.data, 'postgres')]) assert.ok(existsSync(path), path);
  for (const path of [running, foreign, link]) rmSync(path, { recursive: true });
});

test('a damaged backup is kept as long as a complete one, with the WAL that it needs', async () => {
  await pause();
  await system.mark('before-damage');
  for (const name of backupNames()) rmSync(join(system.backups, name), { recursive: true });
  const recent = system.age(await system.backup(), 1);
  await system.mark('after-damaged');
  const neededWal = `${readFirstWalFile(recent)}.gz`;
  const old = putFolder(formatBackupName(9), 9 * 24);
  for (const path of [recent, old]) writeFileSync(join(path, 'backup.json'), '{damaged');
  await pause();
  const outdated = system.age(await system.backup(), 9);
  const manifest = JSON.parse(readFileSync(join(outdated, 'backup.json'), 'utf8')) as object;
  writeFileSync(join(outdated, 'backup.json'), JSON.stringify({ ...manifest, at: '2099-01-01T00:00:00.000Z' }));
  await pause();
  await system.backup(['--keep', '7']);
  assert.deepEqual(
    [recent, old, outdated].map((path) => existsSync(path)),
    [true, false, false],
  );
  assert.equal(firstWalName(), neededWal);
  rmSync(join(recent, 'base.tar'));
  const wal = walNames();
  await pause();
  const { status, output } = await system.run('backup', [system.backups, '--keep', '7']);
  assert.match(
    output,
    new RegExp(
      `^The backup is complete, but old backups or WAL were not all removed: ${recent} is damaged: its base\\.tar names no first WAL`,
      'm',
    ),
  );
  assert.equal(status, 1);
  assert.deepEqual(walNames().slice(0, wal.length), wal);
  rmSync(recent, { recursive: true });
});

test('a backup to another folder removes no WAL needed in BACKUP_FOLDER, and none while BACKUP_FOLDER is unreadable', async () => {
  await pause();
  await system.mark('usual');
  const usual = system.age(await system.backup(), 2);
  const neededWal = `${readFirstWalFile(usual)}.gz`;
  for (const name of backupNames()) {
    if (name !== basename(usual)) rmSync(join(system.backups, name), { recursive: true });
  }
  await system.mark('later');
  const other = join(system.folder, 'other');
  const elsewhere = await system.run('backup', [other, '--keep', '1']);
  assert.equal(elsewhere.status, 0, elsewhere.output);
  assert.equal(firstWalName(), neededWal);
  await pause();
  const wal = walNames();
  const unmounted = { BACKUP_FOLDER: join(system.folder, 'unmounted') };
  const { status, output } = await system.run('backup', [other, '--keep', '1'], unmounted);
  assert.match(
    output,
    /^The backup is complete, but .*: No archived WAL is removed, .*unmounted is missing \(ENOENT\)\.$/m,
  );
  assert.equal(status, 1);
  assert.deepEqual(walNames().slice(0, wal.length), wal);
  assert.ok((await system.restoredMarks(usual, 'usual')).includes('later'));
  rmSync(other, { recursive: true });
});

test('a backup dated in the future is reported and kept, and counts neither as the newest nor as the last', async () => {
  await pause();
  const misdated = join(system.backups, 'krapao-20990101T000000Z');
  renameSync(await system.backup(), misdated);
  const old = system.age(await system.backup(), 100);
  for (const name of backupNames()) {
    if (![misdated, old].includes(join(system.backups, name))) rmSync(join(system.backups, name), { recursive: true });
  }
  const putBack = system.withoutOutside();
  const metricsFile = join(system.folder, 'misdated.prom');
  await system.run('backup', ['--keep', '1', '--metrics', metricsFile]);
  putBack();
  const seconds = Number(/^krapao_backup_timestamp_seconds (\d+)$/m.exec(readFileSync(metricsFile, 'utf8'))?.[1]);
  assert.ok(seconds < Date.now() / 1_000 - 99 * 86_400, 'the newest is the one of the past');
  await pause();
  const { status, output } = await system.run('backup', ['--keep', '1']);
  assert.equal(status, 0, output);
  assert.match(output, new RegExp(`^${misdated} is dated in the future: .* Rename it by its real time\\.$`, 'm'));
  assert.deepEqual(
    [misdated, old].map((path) => existsSync(path)),
    [true, false],
  );
  assert.equal(firstWalName(), `${readFirstWalFile(misdated)}.gz`);
  rmSync(misdated, { recursive: true });
});

test('a backup without its secrets or outside file is refused before the database is copied', async () => {
  await pause();
  for (const name of ['SECRETS_FILE', 'OUTSIDE_FILE']) {
    const environment = { ...system.environment, [name]: join(system.folder, 'none.json') };
    // The copy of the database would exceed the limit.
    const args = [system.backups] as const;
    const { status, output } = await runCommandProcess({ databaseUrl: '' }, 'backup', args, environment, 512);
    assert.match(output, /none\.json is missing \(ENOENT\)\. A backup without it can't be restored\.\n$/);
    assert.equal(status, 1);
  }
});

test('a backup into a folder that is part of it is refused, and nothing is written', async () => {
  for (const copied of ['postgres', 'files']) {
    const target = join(system.data, copied, 'backups');
    const { status, output } = await system.run('backup', [target]);
    assert.match(output, /is in .*, which a backup copies: name another folder\.\n$/);
    assert.deepEqual([status, existsSync(target)], [1, false]);
  }
});

test('a kill between the backup and the removal of older ones loses none; the next backup removes them', async () => {
  await pause();
  const old = system.age(await system.backup(), 30);
  await pause();
  const args = [CLI_PATH, 'backup', system.backups, '--keep', '7'];
  const child = spawn(process.execPath, args, {
    env: { ...CHILD_ENVIRONMENT, ...system.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'close');
  const complete = String(line).split('\n')[0] ?? '';
  assert.ok(existsSync(join(complete, 'backup.json')), complete);
  await pause();
  await system.backup(['--keep', '7']);
  assert.equal(existsSync(old) && existsSync(join(old, 'backup.json')), false);
  assert.ok((await system.restoredMarks(complete, 'killed')).length > 0);
});

test('a backup removes nothing from the archive of another database, and reports its own completion', async () => {
  const ownerFile = join(system.archive, 'owner');
  const owner = readFileSync(ownerFile);
  writeFileSync(ownerFile, 'another\n');
  writeFileSync(join(system.archive, '000000010000000000000000'), 'x');
  await pause();
  const { status, output } = await system.run('backup', [system.backups, '--keep', '7']);
  writeFileSync(ownerFile, owner);
  assert.equal(status, 1);
  assert.match(
    output,
    /The backup is complete, but .*is not the archive of this database: none of its files was removed/,
  );
  assert.ok(existsSync(join(output.split('\n')[0] ?? '', 'backup.json')));
  assert.ok(existsSync(join(system.archive, '000000010000000000000000')));
});

test('a backup writes its outcome, age and duration for the metrics collector, readable to other users', async () => {
  await pause();
  const metricsFile = join(system.folder, 'good.prom');
  const { status, output } = await system.run('backup', ['--keep', '7', '--metrics', metricsFile]);
  assert.equal(status, 0, output);
  const metrics = readFileSync(metricsFile, 'utf8');
  assert.match(metrics, /^krapao_backup_failed 0$/m);
  assert.match(metrics, /^krapao_backup_seconds \d/m);
  const seconds = Number(/^krapao_backup_timestamp_seconds (\d+)$/m.exec(metrics)?.[1]);
  assert.ok(Math.abs(Date.now() / 1_000 - seconds) < 60);
  assert.equal(statSync(metricsFile).mode & 0o777, 0o644);
  const pipe = join(system.folder, 'pipe');
  spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
  const refused = await system.run('audit', ['--metrics', pipe]);
  assert.match(refused.output, /pipe is not a regular file\.\n$/);
  assert.deepEqual([refused.status, statSync(pipe).isFIFO()], [1, true], 'a device is not replaced by a file');
});

test('an invalid number of days to keep is refused before a backup is taken', async () => {
  const names = backupNames();
  for (const days of ['0', '-1', '1.5', '7d', '๗', '', '10000']) {
    const { status, output } = await system.run('backup', [system.backups, `--keep=${days}`]);
    assert.equal(status, 1);
    assert.match(output, /--keep is a number of days from 1 to 9999/, days);
  }
  for (const args of [['a', 'b'], ['--keep'], ['--nothing']]) {
    const { status, output } = await system.run('backup', args);
    assert.equal(status, 1);
    assert.match(output, /Say where to: krapao backup \[FOLDER\]/);
  }
  assert.deepEqual(backupNames(), names);
});

test('a backup through DATABASE_URL records the first WAL file that kept backups need, for the database servers', async () => {
  for (const name of backupNames()) rmSync(join(system.backups, name), { recursive: true });
  const environment = { DATABASE_URL: system.url, WAL_ARCHIVE: '' };
  const noted = async (): Promise<string | undefined> =>
    (
      await system.query<{ comment: string | null }>(
        `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = current_database()`,
      )
    )[0]?.comment ?? undefined;
  const backUp = async (args: string[] = []): Promise<{ path: string; output: string }> => {
    await pause();
    const { status, output } = await system.run('backup', [system.backups, ...args], environment);
    assert.equal(status, 0, output);
    return { path: output.split('\n')[0] ?? '', output };
  };
  const older = system.age((await backUp()).path, 6);
  await system.archived();
  assert.equal(await noted(), undefined);
  await backUp(['--keep', '7']);
  const olderNeeds = readFirstWalFile(older);
  assert.equal(await noted(), `backups need WAL from ${olderNeeds}`);
  await system.archived();
  const { path: newest } = await backUp(['--keep', '5']);
  assert.equal(existsSync(older), false);
  const newestNeeds = String(await noted()).replace('backups need WAL from ', '');
  assert.ok(newestNeeds > olderNeeds && newestNeeds <= readFirstWalFile(newest), newestNeeds);
});

test('a backup by a user who does not own the database prunes backups, and prints what it could not record', async () => {
  await system.query('create role keeper login replication; grant pg_read_all_data to keeper');
  const url = new URL(system.url);
  url.username = 'keeper';
  await pause();
  const { status, output } = await system.run('backup', [system.backups, '--keep', '7'], {
    DATABASE_URL: url.href,
    WAL_ARCHIVE: '',
  });
  assert.equal(status, 0, output);
  assert.match(output, /^WAL before [\dA-F]{24} is not needed; the user of DATABASE_URL may not note it/m);
});

test('the runbook for a full disk removes only archived WAL that is older than the oldest backup', async () => {
  await pause();
  await system.backup();
  const page = readFileSync(join(import.meta.dirname, '../../../docs/runbooks/disk-full.md'), 'utf8');
  const block =
    [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].find(([, text]) => text?.includes('backup_label'))?.[1] ?? '';
  const low = ['000000020000000000000000.gz', '000000010000000000000000'];
  const others = ['00000002.history.gz', '0000000200000FFF00000000.gz'];
  for (const name of [...low, ...others]) writeFileSync(join(system.archive, name), 'x');
  const names = walNames().filter((name) => !low.includes(name));
  const script = block
    .replaceAll('/var/backups/krapao', system.backups)
    .replaceAll('/var/lib/krapao-wal', system.archive);
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  for (const name of low) assert.equal(existsSync(join(system.archive, name)), false, name);
  for (const name of others) assert.ok(existsSync(join(system.archive, name)), name);
  const oldest = readFirstWalFile(join(system.backups, backupNames()[0] ?? ''));
  const needed = names.filter((name) => name >= oldest);
  // PostgreSQL may archive another file in between.
  assert.deepEqual(
    walNames().filter((name) => names.includes(name)),
    needed,
  );
});
