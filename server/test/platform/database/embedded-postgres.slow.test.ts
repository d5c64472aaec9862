import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { launchEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres/launch.ts';
import { isRunning, waitForExit } from '../../../src/platform/database/embedded-postgres/process.ts';

const WRITER_PATH = join(import.meta.dirname, 'database-writer.ts');

let root: string;
let directory: string;
let count = 0;

before(() => {
  root = mkdtempSync(join(tmpdir(), 'krapao-embedded-'));
  chmodSync(root, 0o755);
  chmodSync(root, 0o755);
});
beforeEach(() => {
  count += 1;
  directory = join(root, String(count), 'postgres');
});
after(() => rmSync(root, { recursive: true, force: true }));

/** Starts a process that runs the database, inserts row after row, and prints each committed number. */
async function startWriter(): Promise<{ child: ChildProcess; postmaster: number; readCommitted: () => number }> {
  const child = spawn(process.execPath, [WRITER_PATH, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const outputLines = () => text.split('\n').slice(0, -1);
  while (outputLines().length < 20) {
    if (child.exitCode !== null) throw new Error('the writer ended early');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { child, postmaster: Number(outputLines()[0]), readCommitted: () => Number(outputLines().at(-1)) };
}

async function countPersonRows(): Promise<number> {
  const postgres = await launchEmbeddedPostgres({ directory });
  const database = openDatabase({ url: postgres.url });
  const { rows } = await database.query<{ last: number }>('select coalesce(max(n), 0) as last from written');
  await database.close();
  await postgres.stop();
  return rows[0]?.last ?? 0;
}

describe('the embedded PostgreSQL', () => {
  test('the embedded PostgreSQL keeps its log and one previous file small while it runs, in whole lines', async () => {
    const postgres = await launchEmbeddedPostgres({ directory, logMaxBytes: 20_000 });
    const database = openDatabase({ url: postgres.url });
    const log = `${directory}.log`;
    const failQuery = (name: string) => assert.rejects(database.query(`select "${name}"`));
    let maxNumber = 0;
    for (let number = 0; !existsSync(`${log}.1`) || statSync(log).size > 5_000; number += 1) {
      await failQuery(`before_${number}`);
      maxNumber = Math.max(maxNumber, statSync(log).size);
      // Past this size, waits for the log's reader instead of writing more.
      if (statSync(log).size > 20_000) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(maxNumber > 20_000);
    await failQuery('afterwards');
    await database.close();
    await postgres.stop();
    const logLines = readFileSync(log, 'utf8').trim().split('\n');
    for (const logLine of logLines)
      assert.match(logLine, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC \[\d+\] [A-Z]+: {2}/);
    assert.ok(logLines.some((line) => line.includes('column "afterwards" does not exist')));
    assert.match(readFileSync(`${log}.1`, 'utf8'), /column "before_0" does not exist/);
  });

  test('the embedded PostgreSQL logs a refused row without its values', async () => {
    const postgres = await launchEmbeddedPostgres({ directory });
    const database = openDatabase({ url: postgres.url });
    await database.query('create table person (phone text primary key, account text check (length(account) < 9))');
    const insertPerson = (values: string[]) => database.query('insert into person values ($1, $2)', values);
    await insertPerson(['0812300001', 'canary-1']);
    await assert.rejects(insertPerson(['0812300001', 'canary-1']));
    await assert.rejects(insertPerson(['0812300002', 'canary-too-long']));
    await database.close();
    await postgres.stop();
    const log = readFileSync(join(directory, '..', 'postgres.log'), 'utf8');
    assert.match(log, /person_pkey/);
    assert.match(log, /person_account_check/);
    assert.doesNotMatch(log, /08123|canary/);
  });

  test('the embedded PostgreSQL starts, finds its data again, sorts the same on every machine, and ends with the server', async () => {
    const first = await launchEmbeddedPostgres({ directory });
    const database = openDatabase({ url: first.url });
    await database.query('create table kept (word text)');
    await database.query(`insert into kept values ('ข'), ('b'), ('A'), ('ກ')`);
    await database.close();
    await first.stop();
    assert.equal(isRunning(first.pid), false);
    const second = await launchEmbeddedPostgres({ directory });
    const reopenedDatabase = openDatabase({ url: second.url });
    const { rows } = await reopenedDatabase.query<{ word: string }>('select word from kept order by word');
    assert.deepEqual(
      rows.map(({ word }) => word),
      ['A', 'b', 'ข', 'ກ'],
    );
    const fsyncSetting = await reopenedDatabase.query<{ fsync: string }>('show fsync');
    assert.equal(fsyncSetting.rows[0]?.fsync, 'on');
    await reopenedDatabase.close();
    await second.stop();
  });

  test('after kill -9 of the server no PostgreSQL remains, and the next start has every committed row', async () => {
    const { child, postmaster, readCommitted } = await startWriter();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const committedNumbers = readCommitted();
    assert.ok((await countPersonRows()) >= committedNumbers);
    assert.equal(isRunning(postmaster), false);
  });

  test('after kill -9 of server, watchdog and PostgreSQL together every committed row is there', async () => {
    const { child, postmaster, readCommitted } = await startWriter();
    const watchdogPid = parentPidOf(postmaster);
    process.kill(watchdogPid, 'SIGKILL');
    // Before its Node process: otherwise the watchdog would stop the database cleanly.
    process.kill(postmaster, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await waitForExit(postmaster, 60_000);
    assert.ok((await countPersonRows()) >= readCommitted());
  });

  test('a PostgreSQL whose watchdog died is stopped by the next start', async () => {
    const { child, postmaster, readCommitted } = await startWriter();
    const watchdogPid = parentPidOf(postmaster);
    // The watchdog's reader first: otherwise it would stop the database when Node ends.
    for (const pid of childPidsOf(watchdogPid).filter((pid) => pid !== postmaster)) process.kill(pid, 'SIGKILL');
    process.kill(watchdogPid, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(isRunning(postmaster), true);
    assert.ok((await countPersonRows()) >= readCommitted());
    assert.equal(isRunning(postmaster), false);
  });
});

describe('folders of the embedded PostgreSQL', () => {
  test('a data folder used by another process is refused, and that process continues', async () => {
    const { child, postmaster } = await startWriter();
    await assert.rejects(launchEmbeddedPostgres({ directory }), /is in use by another running copy/);
    assert.equal(isRunning(postmaster), true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await waitForExit(postmaster, 60_000);
  });

  test('a stale postmaster.pid that names the process of another program does not get that process killed', async () => {
    const first = await launchEmbeddedPostgres({ directory });
    await first.stop();
    writeFileSync(join(directory, 'postmaster.pid'), `${process.pid}\n${directory}\n0\n5432\n\n\n\nready\n`);
    const second = await launchEmbeddedPostgres({ directory });
    await second.stop();
  });

  test("files left by a kill during PostgreSQL's first start are removed", async () => {
    const leftoverDirectory = `${directory}.init-999999999`;
    mkdirSync(leftoverDirectory, { recursive: true });
    const postgres = await launchEmbeddedPostgres({ directory });
    assert.equal(existsSync(leftoverDirectory), false);
    await postgres.stop();
  });

  test('a folder of another major version, or with other content, is refused with a message', async () => {
    mkdirSync(directory, { recursive: true });
    await assert.rejects(launchEmbeddedPostgres({ directory }), /holds no database, this program brings PostgreSQL 18/);
    writeFileSync(join(directory, 'PG_VERSION'), '15\n');
    await assert.rejects(launchEmbeddedPostgres({ directory }), /holds a database of PostgreSQL 15/);
  });

  test('a failed start names the fatal error of PostgreSQL, not only its shutdown', async () => {
    const postgres = await launchEmbeddedPostgres({ directory });
    await postgres.stop();
    writeFileSync(join(directory, 'recovery.signal'), '');
    await assert.rejects(launchEmbeddedPostgres({ directory }), /did not start on .* must specify "restore_command"/);
  });

  test('without user namespaces PostgreSQL runs as the user `nobody` for root, as the same user otherwise', async () => {
    const postgres = await launchEmbeddedPostgres({ directory, userNamespace: false });
    const status = readFileSync(`/proc/${postgres.pid}/status`, 'utf8');
    const ownUid = process.getuid?.() ?? 0;
    assert.equal(Number(/^Uid:\t(\d+)/m.exec(status)?.[1]), ownUid === 0 ? 65_534 : ownUid);
    await postgres.stop();
  });

  test('an embedded PostgreSQL that ends unexpectedly is reported', async () => {
    const postgres = await launchEmbeddedPostgres({ directory });
    process.kill(postgres.pid, 'SIGKILL');
    assert.match(await postgres.died, /^The database stopped by itself\./);
  });
});

function parentPidOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function childPidsOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}
