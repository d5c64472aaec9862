import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { retryActionFor } from '../../src/ledger/errors.ts';
import { createLedger, LedgerBusy } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { booksOf } from './books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const open = (more: { queueMax?: number; lanes?: number; onTrouble?: (error: Error) => void } = {}) =>
  createLedger({ url, database, currency: 'BAHT', ...more });
after(() => fresh.drop());

const batches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

test('operations that come together go in few calls, and one alone goes at once', async () => {
  const ledger = open();
  await ledger.post(booksOf('warm').deposit('warm', 1n));
  const before = await batches();
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => ledger.post(booksOf(`m${n % 50}`).deposit(`g${n}`, 1n))));
  assert.equal((await batches()) - before <= 4, true);
  await ledger.close();
});

test('a full queue refuses at once, sends nothing of what it refused, and goes on with the rest', async () => {
  const ledger = open({ queueMax: 10 });
  const asked = Array.from({ length: 30 }, (_, n) => ledger.post(booksOf('queue').deposit(`q${n}`, 1n)));
  const answers = await Promise.allSettled(asked);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  assert.equal(refused.length, 20);
  for (const { reason } of refused) assert.equal(reason instanceof LedgerBusy && reason.retryAfterSeconds > 0, true);
  assert.equal((await ledger.balances('queue'))[0]?.posted, 10n);
  await ledger.close();
});

test('thirty equal requests at the same moment are one movement and twenty-nine replays', async () => {
  const [one, two] = [open(), open({ lanes: 2 })];
  const asked = Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).post(booksOf('volley').deposit('v', 100n)));
  const verdicts = (await Promise.all(asked)).flat();
  assert.equal(verdicts.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(new Set(verdicts.map(({ operationId }) => operationId)).size, 1);
  assert.equal((await one.balances('volley'))[0]?.posted, 100n);
  await one.close();
  await two.close();
});

test('thirty different requests for the last money: exactly one gets it, over several processes', async () => {
  const ledgers = [open(), open(), open({ lanes: 2 })];
  await ledgers[0]?.post(booksOf('last').deposit('l', 100n));
  const asked = Array.from({ length: 30 }, async (_, n) => ledgers[n % 3]?.post(booksOf('last').pay(`l${n}`, 100n)));
  const verdicts = (await Promise.all(asked)).flatMap((answer) => answer ?? []);
  assert.deepEqual(
    [verdicts.filter(({ outcome }) => outcome === 'applied').length, verdicts.filter(({ reason }) => reason).length],
    [1, 29],
  );
  for (const { name, violations } of (await ledgers[0]?.audit()) ?? []) assert.equal(violations, 0, name);
  for (const ledger of ledgers) await ledger.close();
});

test('a key that another member uses at the same moment through another lane is a conflict for one of them', async () => {
  const [one, two] = [open(), open()];
  for (let round = 0; round < 20; round += 1) {
    const key = `shared${round}`;
    const answers = await Promise.all([
      one.post(booksOf('left').deposit(key, 1n)),
      two.post(booksOf('right').deposit(key, 1n)),
    ]);
    const outcomes = answers.flat().map(({ outcome }) => outcome);
    assert.deepEqual(outcomes.toSorted(), ['applied', 'conflict']);
  }
  await one.close();
  await two.close();
});

test('one operation that fails every time is found by halving; all others of its batch get their answers', async () => {
  const troubles: Error[] = [];
  const ledger = open({ onTrouble: (error) => troubles.push(error) });
  const books = booksOf('rich');
  await database.query(
    `insert into ledger.account (member_id, kind, currency, bounded, posted) values ('rich', 'WALLET', 'BAHT', true, $1)`,
    [9_223_372_036_854_775_000n],
  );
  const poison = ledger.post(books.deposit('poison', 1_000n));
  const good = Array.from({ length: 60 }, (_, n) => ledger.post(booksOf(`by${n}`).deposit(`by${n}`, 5n)));
  await assert.rejects(poison, /bigint out of range/);
  for (const [verdict] of await Promise.all(good)) assert.equal(verdict?.outcome, 'applied');
  assert.equal(troubles.length > 1 && troubles.length < 12, true, String(troubles.length));
  await database.query(`delete from ledger.account where member_id = 'rich'`);
  await ledger.close();
});

test('a deadlock with someone else is repeated until it goes through', async () => {
  const troubles: Error[] = [];
  const ledger = open({ onTrouble: (error) => troubles.push(error) });
  await ledger.post(booksOf('dead').deposit('d0', 10n));
  const stranger = new pg.Client({ connectionString: url });
  await stranger.connect();
  await stranger.query('begin');
  await stranger.query(`select 1 from ledger.account where member_id = 'dead' for update`);
  const waiting = ledger.post(booksOf('dead').pay('d1', 4n));
  await new Promise((resolve) => setTimeout(resolve, 150));
  // The ledger holds its lane and wants the account; this wants the lane: one of the two must give way.
  await stranger.query('select 1 from ledger.lane for update').catch(() => {});
  await stranger.query('rollback');
  const [verdict] = await waiting;
  assert.deepEqual([verdict?.outcome, verdict?.balances.debit?.posted], ['applied', 6n]);
  await stranger.end();
  await ledger.close();
});

test('a connection that is cut while it waits is reopened, and the operation is posted once', async () => {
  const ledger = open();
  await ledger.post(booksOf('cut').deposit('c0', 10n));
  const asked = Array.from({ length: 20 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, n * 15));
    return ledger.post(booksOf('cut').pay(`c${n + 1}`, 0n + 1n));
  });
  for (let cut = 0; cut < 5; cut += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'krapao-ledger' and datname = current_database()`);
  }
  const verdicts = (await Promise.all(asked)).flat();
  assert.equal(verdicts.filter(({ outcome }) => outcome === 'applied').length, 10);
  assert.equal((await ledger.balances('cut'))[0]?.posted, 0n);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await ledger.close();
});

test('a socket that breaks means a new connection, whatever its code looks like; only the database can say never', async () => {
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  assert.equal(retryActionFor(broken), 'reconnect');
  const never = await database.query('select 1 / 0').catch((error: unknown) => error);
  assert.equal(retryActionFor(never), 'poison');
});

test('a replay writes: its commit is one that a standby must confirm', async () => {
  const ledger = open();
  const deposit = booksOf('replayed').deposit('r1', 10n);
  await ledger.post(deposit);
  const mark = async () =>
    (await database.query<{ xmax: string }>(`select xmax::text from ledger.operation where reference = 'r1'`)).rows[0]
      ?.xmax;
  const before = await mark();
  const [verdict] = await ledger.post(deposit);
  assert.equal(verdict?.replayed, true);
  assert.notEqual(await mark(), before);
  await ledger.close();
});
