import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createLedger, type Ledger, LedgerUnavailable, type Verdict } from '../../src/ledger/index.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { booksOf } from './books.ts';

// A database of its own, with fsync, because it is killed here.
const folder = mkdtempSync(join(tmpdir(), 'krapao-kill-'));
const directory = join(folder, 'postgres');
let postgres: EmbeddedPostgres;
let database: Database;

before(async () => {
  postgres = await launchEmbeddedPostgres({ directory });
  database = openDatabase({ url: postgres.url, size: 2 });
  await migrate(database);
});
after(async () => {
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function assertAudits(ledger: Ledger): Promise<void> {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
}

/** A little less than the pauses of a lane that asks again add up to. */
const PATIENCE_MS = 10_000;

/** A thousand at a time: a fast machine posts more than a lane lets wait. */
async function inTurns<T>(all: T[], ask: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += 1_000) await Promise.all(all.slice(from, from + 1_000).map(ask));
}

/**
 * Posts until there is an answer. An unknown outcome is allowed only after seconds without a database: on a busy
 * machine a restart takes that long.
 */
async function answered(ledger: Ledger, operation: Parameters<Ledger['post']>[0]): Promise<Verdict[]> {
  for (;;) {
    const asked = performance.now();
    try {
      return await ledger.post(operation);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || performance.now() - asked < PATIENCE_MS) throw error;
    }
  }
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (const started = performance.now(); performance.now() - started < 60_000; await wait(50))
    if (await isSo()) return;
  assert.fail('it never came to that');
}

async function timesApplied(): Promise<number> {
  const { rows } = await database.query<{ count: bigint }>(
    `select count(*) from ledger.operation where state = 'applied' and kind = 'deposit'`,
  );
  return Number(rows[0]?.count);
}

test('kill -9 of PostgreSQL under load: each operation is applied once, and its caller gets the answer', async () => {
  const troubles: string[] = [];
  const onTrouble = (error: Error) => troubles.push(error.message);
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT', onTrouble });
  const posted = new Map<string, bigint>();
  let stop = false;
  const caller = async (number: number): Promise<void> => {
    const books = booksOf(`crash-${number}`);
    for (let turn = 0; !stop; turn += 1) {
      const key = `crash:${number}:${turn}`;
      const [verdict] = await answered(ledger, books.deposit(key, 3n));
      assert.equal(verdict?.outcome, 'applied', key);
      posted.set(key, verdict.operationId);
    }
  };
  const callers = Array.from({ length: 32 }, (_, number) => caller(number));
  for (let kill = 0; kill < 3; kill += 1) {
    await wait(400);
    process.kill(postgres.pid, 'SIGKILL');
    await postgres.died;
    postgres = await launchEmbeddedPostgres({ directory });
  }
  await wait(300);
  stop = true;
  await Promise.all(callers);
  assert.equal(troubles.length > 0, true, 'the kills were noticed');
  assert.equal(await timesApplied(), posted.size);
  // The same keys again: the first answers, and nothing moves.
  const ask = async (key: string): Promise<void> => {
    const [, number = ''] = key.split(':');
    const [verdict] = await ledger.post(booksOf(`crash-${number}`).deposit(key, 3n));
    assert.deepEqual([verdict?.replayed, verdict?.outcome, verdict?.operationId], [true, 'applied', posted.get(key)]);
  };
  await inTurns([...posted.keys()], ask);
  assert.equal(await timesApplied(), posted.size);
  await assertAudits(ledger);
  await ledger.close();
});

test('kill -9 of a posting process: acknowledged operations persist, and unacknowledged ones are applied once when retried', async () => {
  const before = await timesApplied();
  const asked = new Map<string, string>();
  const posted = new Map<string, bigint>();
  for (const run of ['first', 'second', 'third']) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'posting-process.ts'), postgres.url, run], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await readUntilKilled(child, asked, posted);
  }
  assert.equal(posted.size > 0 && asked.size > posted.size, true, `${posted.size} of ${asked.size}`);
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT' });
  const ask = async ([key, number]: [string, string]): Promise<void> => {
    const [verdict] = await ledger.post(booksOf(`killed-${number}`).deposit(key, 7n));
    assert.equal(verdict?.outcome, 'applied');
    const first = posted.get(key);
    if (first !== undefined) assert.deepEqual([verdict.replayed, verdict.operationId], [true, first], key);
  };
  await inTurns([...asked], ask);
  assert.equal((await timesApplied()) - before, asked.size);
  await assertAudits(ledger);
  await ledger.close();
});

async function readUntilKilled(child: ChildProcess, asked: Map<string, string>, posted: Map<string, bigint>) {
  let text = '';
  let enough: () => void = () => {};
  const warm = new Promise<void>((resolve) => (enough = resolve));
  child.stdout?.on('data', (chunk: Buffer) => {
    text += String(chunk);
    if (text.split('told').length > 200) enough();
  });
  await warm;
  child.kill('SIGKILL');
  await once(child, 'close');
  // The last line may be cut.
  for (const line of text.split('\n').slice(0, -1)) {
    const [word, first = '', second = ''] = line.split(' ');
    if (word === 'asked') asked.set(second, first);
    else posted.set(first, BigInt(second));
  }
}

test('a commit whose wait for the standby is given up is not told as done, but asked again until it is', async () => {
  const books = booksOf('standby');
  const troubles: string[] = [];
  const onTrouble = (error: Error) => troubles.push(error.name);
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT', onTrouble });
  await ledger.post(books.deposit('standby:1', 5n));
  const waitFor = async (standby: string): Promise<void> => {
    await database.query(`alter system set synchronous_standby_names = '${standby}'`);
    await database.query('select pg_reload_conf()');
  };
  await database.query('create table standby_probe (n int)');
  // A standby that never connects. The server applies the setting asynchronously: it has done so once a commit waits.
  await waitFor('nobody');
  /** Gives up one wait, and only one: a second word would meet whatever its connection does next. */
  const giveUp = async (whose: string): Promise<boolean> => {
    const { rowCount } = await database.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where ${whose} and wait_event = 'SyncRep'`,
    );
    return rowCount > 0;
  };
  for (let isHeard = false; !isHeard;) {
    let isOver = false;
    const probe = Promise.allSettled([database.query('insert into standby_probe values (1)')]);
    void probe.then(() => (isOver = true));
    while (!isOver) {
      await wait(20);
      if (!isHeard) isHeard = await giveUp(`query like 'insert into standby_probe%'`);
    }
    const [{ status }] = await probe;
    assert.equal(status, isHeard ? 'rejected' : 'fulfilled', 'a commit that was given up is not told as done');
  }
  let posted = false;
  const posting = ledger.post(books.deposit('standby:2', 5n)).finally(() => (posted = true));
  try {
    // Twice: the first commit, and the replay, which has to wait just the same.
    for (const times of [1, 2]) {
      await eventually(() => giveUp(`application_name = 'krapao-ledger'`));
      await eventually(async () => troubles.length >= times);
    }
    await wait(100);
    assert.equal(posted, false);
  } finally {
    await waitFor('');
  }
  const [verdict] = await posting;
  assert.deepEqual([verdict?.outcome, verdict?.replayed, verdict?.balances.credit?.posted], ['applied', true, 10n]);
  assert.deepEqual(new Set(troubles), new Set(['UncertainCommit']));
  await ledger.close();
});

test('a database that stays down: the outcome is reported as unknown after a bounded time, and the caller may retry', async () => {
  const books = booksOf('away');
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT' });
  await ledger.post(books.deposit('away:1', 5n));
  await postgres.stop();
  await assert.rejects(ledger.post(books.deposit('away:2', 5n)), LedgerUnavailable);
  postgres = await launchEmbeddedPostgres({ directory });
  const [verdict] = await ledger.post(books.deposit('away:2', 5n));
  assert.equal(verdict?.balances.credit?.posted, 10n);
  await ledger.close();
});
