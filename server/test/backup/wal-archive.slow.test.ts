import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';

const SEGMENT_BYTES = 16 * 1024 * 1024;
const POLL_MS = 100;
const PATIENCE_MS = 20_000;

let folder: string;
let archive: string;
let postgres: EmbeddedPostgres;
let client: pg.Client;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-wal-'));
  archive = join(folder, 'wal');
  postgres = await launchEmbeddedPostgres({ directory: join(folder, 'data/postgres'), walArchive: archive });
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('create table written (value text)');
});
after(async () => {
  await client.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function selectText(sql: string): Promise<string> {
  const { rows } = await client.query<{ text: string }>(sql);
  return rows[0]?.text ?? '';
}

/** Writes a row and closes its WAL file, which the archiver then takes. @returns the name of the file */
async function closeFile(): Promise<string> {
  await client.query(`insert into written select string_agg(random()::text, '') from generate_series(1, 1000)`);
  return selectText('select pg_walfile_name(pg_switch_wal()) as text');
}

const nextFile = (): Promise<string> => selectText('select pg_walfile_name(pg_current_wal_lsn()) as text');
const pathOf = (name: string): string => join(archive, name);
const walOf = (name: string): Buffer => readFileSync(join(folder, 'data/postgres/pg_wal', name));

async function waitUntil(isTrue: () => boolean | Promise<boolean>, what: string, patienceMs = PATIENCE_MS) {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    if (await isTrue()) return;
    await wait(POLL_MS);
  }
  assert.fail(`${what}: not within ${patienceMs} ms`);
}

const waitUntilFailed = (name: string): Promise<void> =>
  waitUntil(
    async () => (await selectText('select last_failed_wal as text from pg_stat_archiver')) === name,
    `archiving ${name} fails`,
  );

/** The archiver pauses up to a minute after three failures, unless another file is closed. */
async function waitUntilArchived(name: string): Promise<void> {
  await closeFile();
  await waitUntil(
    async () => (await selectText('select last_archived_wal as text from pg_stat_archiver')) >= name,
    `${name} is archived`,
  );
}

test('a commit is archived within 60 s, also right after the start and without load', async () => {
  const startedMs = performance.now();
  await client.query(`insert into written values ('a first commit')`);
  const name = await nextFile();
  await waitUntil(() => existsSync(pathOf(`${name}.gz`)), 'the commit is archived', 60_000);
  assert.ok(performance.now() - startedMs > 10_000, 'no other file was closed');
  assert.ok(gunzipSync(readFileSync(pathOf(`${name}.gz`))).includes('a first commit'));
});

test('an archived WAL file is compressed, complete and private, and almost empty if the site is idle', async () => {
  const name = await closeFile();
  await waitUntilArchived(name);
  const content = gunzipSync(readFileSync(pathOf(`${name}.gz`)));
  assert.equal(content.length, SEGMENT_BYTES);
  assert.ok(content.equals(walOf(name)));
  const { size, mode } = statSync(pathOf(`${name}.gz`));
  assert.ok(size < 100_000, `${size} bytes`);
  assert.equal(mode & 0o077, 0);
  assert.equal(existsSync(pathOf(`${name}.part`)), false);
});

test('a WAL file is archived again without a failure if its copy, compressed or not, was complete before a crash', async () => {
  await wait(1_000);
  const failures = await selectText('select failed_count::text as text from pg_stat_archiver');
  for (const extension of ['', '.gz']) {
    const name = await archiveBeforeCrash(extension);
    await waitUntilArchived(name);
    assert.equal(existsSync(pathOf(name)), extension === '');
    assert.equal(existsSync(pathOf(`${name}.gz`)), extension === '.gz');
  }
  assert.equal(await selectText('select failed_count::text as text from pg_stat_archiver'), failures);
});

/** Closes a WAL file with the archiver stopped and copies it to the archive. @returns its name */
async function archiveBeforeCrash(extension: string): Promise<string> {
  const archiver = await selectText(`select pid::text as text from pg_stat_activity where backend_type = 'archiver'`);
  process.kill(Number(archiver), 'SIGSTOP');
  const name = await closeFile();
  copyFileSync(join(folder, 'data/postgres/pg_wal', name), pathOf(name));
  if (extension === '.gz') execFileSync('gzip', ['-9', pathOf(name)]);
  process.kill(Number(archiver), 'SIGCONT');
  return name;
}

test('an archived WAL file is never overwritten by another content, even if incomplete; archiving resumes without it', async () => {
  const cases: readonly [string, (name: string) => void][] = [
    ['', (path) => writeFileSync(path, 'another')],
    ['.gz', (path) => execFileSync('sh', ['-c', `echo another | gzip > ${path}`])],
    ['.gz', (path) => truncateSync(copied(path), 1_000)],
    ['.gz', (path) => writeFileSync(path, '')],
  ];
  for (const [extension, put] of cases) {
    const name = await nextFile();
    const path = pathOf(`${name}${extension}`);
    put(path);
    const content = readFileSync(path);
    assert.equal(await closeFile(), name);
    await waitUntilFailed(name);
    assert.ok(readFileSync(path).equals(content));
    rmSync(path);
    await waitUntilArchived(name);
    assert.ok(gunzipSync(readFileSync(pathOf(`${name}.gz`))).equals(walOf(name)));
  }
});

function copied(path: string): string {
  const [archived = ''] = readdirSync(archive).filter((name) => name.endsWith('.gz'));
  copyFileSync(pathOf(archived), path);
  return path;
}

test('an incomplete WAL file left by a crash or a full disk is rewritten, and does not count as archived before', async () => {
  const halfName = await nextFile();
  writeFileSync(pathOf(`${halfName}.part`), 'half');
  await closeFile();
  await waitUntilArchived(halfName);
  assert.ok(gunzipSync(readFileSync(pathOf(`${halfName}.gz`))).equals(walOf(halfName)));

  const name = await nextFile();
  symlinkSync('/dev/full', pathOf(`${name}.part`));
  await closeFile();
  await waitUntilFailed(name);
  assert.equal(existsSync(pathOf(`${name}.gz`)), false);
  rmSync(pathOf(`${name}.part`));
  await waitUntilArchived(name);
  assert.ok(gunzipSync(readFileSync(pathOf(`${name}.gz`))).equals(walOf(name)));
});
