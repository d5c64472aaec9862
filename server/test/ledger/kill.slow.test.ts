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
import { ledgerAccountsOf } from './books.ts';

// A separate database with fsync, because the test kills it.
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

/** Slightly less than the total of a lane's retry pauses. */
const PATIENCE_MS = 10_000;

/** A thousand at a time: a fast machine posts more than a lane lets wait. */
async function visitInTurns<T>(items: T[], visitItem: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += 1_000)
    await Promise.all(items.slice(from, from + 1_000).map(visitItem));
}

/**
 * Posts until there is a verdict. An unknown outcome is allowed only after seconds without a database: on a busy
 * machine a restart takes that long.
 */
async function postUntilAnswered(ledger: Ledger, operation: Parameters<Ledger['post']>[0]): Promise<Verdict[]> {
  for (;;) {
    const startMs = performance.now();
    try {
      return await ledger.post(operation);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || performance.now() - startMs < PATIENCE_MS) throw error;
    }
  }
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (const startMs = performance.now(); performance.now() - startMs < 60_000; await wait(50))
    if (await isSo()) return;
  assert.fail('it never came to that');
}

async function countApplied(): Promise<number> {
  const { rows } = await database.query<{ count: bigint }>(
    `select count(*) from ledger.operation where state = 'applied' and kind = 'deposit'`,
  );
  return Number(rows[0]?.count);
}

test('after a kill -9 of PostgreSQL under load each operation is applied once, and its caller gets the outcome', async () => {
  const reportedErrors: string[] = [];
  const onTrouble = (error: Error) => reportedErrors.push(error.message);
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT', onTrouble });
  const postedVerdicts = new Map<string, bigint>();
  let isStopped = false;
  const runCaller = async (number: number): Promise<void> => {
    const operations = ledgerAccountsOf(`crash-${number}`);
    for (let turnNumber = 0; !isStopped; turnNumber += 1) {
      const key = `crash:${number}:${turnNumber}`;
      const [verdict] = await postUntilAnswered(ledger, operations.deposit(key, 3n));
      assert.equal(verdict?.outcome, 'applied', key);
      postedVerdicts.set(key, verdict.operationId);
    }
  };
  const callerLoops = Array.from({ length: 32 }, (_, number) => runCaller(number));
  for (let killNumber = 0; killNumber < 3; killNumber += 1) {
    await wait(400);
    process.kill(postgres.pid, 'SIGKILL');
    await postgres.died;
    postgres = await launchEmbeddedPostgres({ directory });
  }
  await wait(300);
  isStopped = true;
  await Promise.all(callerLoops);
  assert.equal(reportedErrors.length > 0, true, 'the kills were noticed');
  assert.equal(await countApplied(), postedVerdicts.size);
  // The same keys again: the first answers, and nothing moves.
  const postAgain = async (key: string): Promise<void> => {
    const [, number = ''] = key.split(':');
    const [verdict] = await ledger.post(ledgerAccountsOf(`crash-${number}`).deposit(key, 3n));
    assert.deepEqual(
      [verdict?.replayed, verdict?.outcome, verdict?.operationId],
      [true, 'applied', postedVerdicts.get(key)],
    );
  };
  await visitInTurns([...postedVerdicts.keys()], postAgain);
  assert.equal(await countApplied(), postedVerdicts.size);
  await assertAudits(ledger);
  await ledger.close();
});

test('kill -9 of a posting process: acknowledged operations persist, and unacknowledged ones are applied once when retried', async () => {
  const before = await countApplied();
  const sentOperations = new Map<string, string>();
  const postedOperations = new Map<string, bigint>();
  for (const runName of ['first', 'second', 'third']) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'posting-process.ts'), postgres.url, runName], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await readUntilKilled(child, sentOperations, postedOperations);
  }
  assert.equal(
    postedOperations.size > 0 && sentOperations.size > postedOperations.size,
    true,
    `${postedOperations.size} of ${sentOperations.size}`,
  );
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT' });
  const postAgain = async ([key, number]: [string, string]): Promise<void> => {
    const [verdict] = await ledger.post(ledgerAccountsOf(`killed-${number}`).deposit(key, 7n));
    assert.equal(verdict?.outcome, 'applied');
    const first = postedOperations.get(key);
    if (first !== undefined) assert.deepEqual([verdict.replayed, verdict.operationId], [true, first], key);
  };
  await visitInTurns([...sentOperations], postAgain);
  assert.equal((await countApplied()) - before, sentOperations.size);
  await assertAudits(ledger);
  await ledger.close();
});

async function readUntilKilled(
  child: ChildProcess,
  sentOperations: Map<string, string>,
  postedOperations: Map<string, bigint>,
) {
  let text = '';
  let resolveWarm: () => void = () => {};
  const warmedUp = new Promise<void>((resolve) => (resolveWarm = resolve));
  child.stdout?.on('data', (chunk: Buffer) => {
    text += String(chunk);
    if (text.split('told').length > 200) resolveWarm();
  });
  await warmedUp;
  child.kill('SIGKILL');
  await once(child, 'close');
  // The last line may be cut.
  for (const outputLine of text.split('\n').slice(0, -1)) {
    const [eventName, first = '', second = ''] = outputLine.split(' ');
    if (eventName === 'asked') sentOperations.set(second, first);
    else postedOperations.set(first, BigInt(second));
  }
}

test('a commit whose wait for the standby ends is not reported as done, but repeated until it is', async () => {
  const operations = ledgerAccountsOf('standby');
  const reportedErrors: string[] = [];
  const onTrouble = (error: Error) => reportedErrors.push(error.name);
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT', onTrouble });
  await ledger.post(operations.deposit('standby:1', 5n));
  const waitFor = async (standby: string): Promise<void> => {
    await database.query(`alter system set synchronous_standby_names = '${standby}'`);
    await database.query('select pg_reload_conf()');
  };
  await database.query('create table standby_probe (n int)');
  // The standby never connects. The server applies the setting asynchronously: it is active once a commit waits.
  await waitFor('nobody');
  /** Cancels exactly one wait: a second cancel would hit the connection's next query. */
  const cancelWait = async (sessionName: string): Promise<boolean> => {
    const { rowCount } = await database.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where ${sessionName} and wait_event = 'SyncRep'`,
    );
    return rowCount > 0;
  };
  for (let isHeard = false; !isHeard;) {
    let isOver = false;
    const pendingProbe = Promise.allSettled([database.query('insert into standby_probe values (1)')]);
    void pendingProbe.then(() => (isOver = true));
    while (!isOver) {
      await wait(20);
      if (!isHeard) isHeard = await cancelWait(`query like 'insert into standby_probe%'`);
    }
    const [{ status }] = await pendingProbe;
    assert.equal(status, isHeard ? 'rejected' : 'fulfilled', 'a commit that was given up is not told as done');
  }
  let isPosted = false;
  const pendingPost = ledger.post(operations.deposit('standby:2', 5n)).finally(() => (isPosted = true));
  try {
    // Twice: the first commit, and the replay, which waits too.
    for (const postNumber of [1, 2]) {
      await waitUntil(() => cancelWait(`application_name = 'krapao-ledger'`));
      await waitUntil(async () => reportedErrors.length >= postNumber);
    }
    await wait(100);
    assert.equal(isPosted, false);
  } finally {
    await waitFor('');
  }
  const [verdict] = await pendingPost;
  assert.deepEqual([verdict?.outcome, verdict?.replayed, verdict?.balances.credit?.posted], ['applied', true, 10n]);
  assert.deepEqual(new Set(reportedErrors), new Set(['UncertainCommit']));
  await ledger.close();
});

test('a database that stays down makes the outcome unknown after a bounded time, and the caller may retry', async () => {
  const operations = ledgerAccountsOf('away');
  const ledger = createLedger({ url: postgres.url, database, currency: 'BAHT' });
  await ledger.post(operations.deposit('away:1', 5n));
  await postgres.stop();
  await assert.rejects(ledger.post(operations.deposit('away:2', 5n)), LedgerUnavailable);
  postgres = await launchEmbeddedPostgres({ directory });
  const [verdict] = await ledger.post(operations.deposit('away:2', 5n));
  assert.equal(verdict?.balances.credit?.posted, 10n);
  await ledger.close();
});
