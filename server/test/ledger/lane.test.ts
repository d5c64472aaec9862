import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { recoveryFor } from '../../src/ledger/errors.ts';
import { createLedger, LedgerBusy } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const openLedger = (ledgerOptions: { queueMax?: number; lanes?: number; onTrouble?: (error: Error) => void } = {}) =>
  createLedger({ url, database, currency: 'BAHT', ...ledgerOptions });
after(() => fresh.dropDatabase());

const countBatches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

test('operations that arrive together share few calls, and a single one is sent immediately', async () => {
  const ledger = openLedger();
  await ledger.post(ledgerAccountsOf('warm').deposit('warm', 1n));
  const before = await countBatches();
  await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => ledger.post(ledgerAccountsOf(`m${n % 50}`).deposit(`g${n}`, 1n))),
  );
  assert.equal((await countBatches()) - before <= 4, true);
  await ledger.close();
});

test('a full queue refuses immediately, sends nothing that it refused, and continues with the rest', async () => {
  const ledger = openLedger({ queueMax: 10 });
  const pendingPosts = Array.from({ length: 30 }, (_, n) =>
    ledger.post(ledgerAccountsOf('queue').deposit(`q${n}`, 1n)),
  );
  const postResults = await Promise.allSettled(pendingPosts);
  const rejectedResults = postResults.filter((postResult) => postResult.status === 'rejected');
  assert.equal(rejectedResults.length, 20);
  for (const { reason } of rejectedResults)
    assert.equal(reason instanceof LedgerBusy && reason.retryAfterSeconds > 0, true);
  assert.equal((await ledger.balances('queue'))[0]?.posted, 10n);
  await ledger.close();
});

test('thirty equal concurrent requests are one movement and twenty-nine replays', async () => {
  const [firstLedger, secondLedger] = [openLedger(), openLedger({ lanes: 2 })];
  const pendingPosts = Array.from({ length: 30 }, (_, n) =>
    (n % 2 ? firstLedger : secondLedger).post(ledgerAccountsOf('volley').deposit('v', 100n)),
  );
  const verdicts = (await Promise.all(pendingPosts)).flat();
  assert.equal(verdicts.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(new Set(verdicts.map(({ operationId }) => operationId)).size, 1);
  assert.equal((await firstLedger.balances('volley'))[0]?.posted, 100n);
  await firstLedger.close();
  await secondLedger.close();
});

test('of thirty concurrent requests for the last money in several processes exactly one gets it', async () => {
  const ledgers = [openLedger(), openLedger(), openLedger({ lanes: 2 })];
  await ledgers[0]?.post(ledgerAccountsOf('last').deposit('l', 100n));
  const pendingPosts = Array.from({ length: 30 }, async (_, n) =>
    ledgers[n % 3]?.post(ledgerAccountsOf('last').pay(`l${n}`, 100n)),
  );
  const verdicts = (await Promise.all(pendingPosts)).flatMap((postResult) => postResult ?? []);
  assert.deepEqual(
    [verdicts.filter(({ outcome }) => outcome === 'applied').length, verdicts.filter(({ reason }) => reason).length],
    [1, 29],
  );
  for (const { name, violations } of (await ledgers[0]?.audit()) ?? []) assert.equal(violations, 0, name);
  for (const ledger of ledgers) await ledger.close();
});

test('a key that another member uses concurrently in another lane is a conflict for one of them', async () => {
  const [firstLedger, secondLedger] = [openLedger(), openLedger()];
  for (let round = 0; round < 20; round += 1) {
    const key = `shared${round}`;
    const postResults = await Promise.all([
      firstLedger.post(ledgerAccountsOf('left').deposit(key, 1n)),
      secondLedger.post(ledgerAccountsOf('right').deposit(key, 1n)),
    ]);
    const outcomes = postResults.flat().map(({ outcome }) => outcome);
    assert.deepEqual(outcomes.toSorted(), ['applied', 'conflict']);
  }
  await firstLedger.close();
  await secondLedger.close();
});

test('an operation that always fails is found by bisection, and all others of its batch get their outcome', async () => {
  const reportedErrors: Error[] = [];
  const ledger = openLedger({ onTrouble: (error) => reportedErrors.push(error) });
  const operations = ledgerAccountsOf('rich');
  await database.query(
    `insert into ledger.account (member_id, kind, currency, bounded, posted) values ('rich', 'WALLET', 'BAHT', true, $1)`,
    [9_223_372_036_854_775_000n],
  );
  const poisonPost = ledger.post(operations.deposit('poison', 1_000n));
  const validPosts = Array.from({ length: 60 }, (_, n) =>
    ledger.post(ledgerAccountsOf(`by${n}`).deposit(`by${n}`, 5n)),
  );
  await assert.rejects(poisonPost, /bigint out of range/);
  for (const [verdict] of await Promise.all(validPosts)) assert.equal(verdict?.outcome, 'applied');
  assert.equal(reportedErrors.length > 1 && reportedErrors.length < 12, true, String(reportedErrors.length));
  await database.query(`delete from ledger.account where member_id = 'rich'`);
  await ledger.close();
});

test('a ledger call that deadlocks with another transaction is retried until it succeeds', async () => {
  const reportedErrors: Error[] = [];
  const ledger = openLedger({ onTrouble: (error) => reportedErrors.push(error) });
  await ledger.post(ledgerAccountsOf('dead').deposit('d0', 10n));
  const otherClient = new pg.Client({ connectionString: url });
  await otherClient.connect();
  await otherClient.query('begin');
  await otherClient.query(`select 1 from ledger.account where member_id = 'dead' for update`);
  const pendingPost = ledger.post(ledgerAccountsOf('dead').pay('d1', 4n));
  await new Promise((resolve) => setTimeout(resolve, 150));
  // A deadlock: the ledger holds its lane and waits for the account; this transaction waits for the lane.
  await otherClient.query('select 1 from ledger.lane for update').catch(() => {});
  await otherClient.query('rollback');
  const [verdict] = await pendingPost;
  assert.deepEqual([verdict?.outcome, verdict?.balances.debit?.posted], ['applied', 6n]);
  await otherClient.end();
  await ledger.close();
});

test('a connection cut during a wait is reopened, and the operation is posted once', async () => {
  const ledger = openLedger();
  await ledger.post(ledgerAccountsOf('cut').deposit('c0', 10n));
  const pendingPosts = Array.from({ length: 20 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, n * 15));
    return ledger.post(ledgerAccountsOf('cut').pay(`c${n + 1}`, 0n + 1n));
  });
  for (let cutNumber = 0; cutNumber < 5; cutNumber += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'krapao-ledger' and datname = current_database()`);
  }
  const verdicts = (await Promise.all(pendingPosts)).flat();
  assert.equal(verdicts.filter(({ outcome }) => outcome === 'applied').length, 10);
  assert.equal((await ledger.balances('cut'))[0]?.posted, 0n);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await ledger.close();
});

test("a broken socket means a reconnection, whatever its code; only the database's own error is final", async () => {
  const connectionError = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  assert.equal(recoveryFor(connectionError), 'reconnect');
  const queryError = await database.query('select 1 / 0').catch((error: unknown) => error);
  assert.equal(recoveryFor(queryError), 'poison');
});

test('a replayed ledger operation still commits a row, so that a standby must confirm it', async () => {
  const ledger = openLedger();
  const deposit = ledgerAccountsOf('replayed').deposit('r1', 10n);
  await ledger.post(deposit);
  const readMark = async () =>
    (await database.query<{ xmax: string }>(`select xmax::text from ledger.operation where reference = 'r1'`)).rows[0]
      ?.xmax;
  const before = await readMark();
  const [verdict] = await ledger.post(deposit);
  assert.equal(verdict?.replayed, true);
  assert.notEqual(await readMark(), before);
  await ledger.close();
});
