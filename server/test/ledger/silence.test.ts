import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLedger, type Ledger, LedgerUnavailable } from '../../src/ledger/index.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { type DatabaseLine, databaseLine } from '../harness/database-line.ts';
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { booksOf } from './books.ts';

let fresh: FreshDatabase;
let line: DatabaseLine;
let database: Database;
let ledger: Ledger;

before(async () => {
  fresh = await freshDatabase();
  line = await databaseLine(fresh.url);
  database = openDatabase({ url: line.url });
  ledger = createLedger({ url: line.url, database, currency: 'BAHT' });
});
after(async () => {
  await ledger.close();
  await database.close();
  line.close();
  await fresh.drop();
});

const assertClean = async (member: string, posted: bigint): Promise<void> => {
  assert.equal((await ledger.balances(member))[0]?.posted, posted);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
};

test('a lane whose answers are lost sends the same keys again by a new connection: nothing is posted twice', async () => {
  const books = booksOf('answers');
  await ledger.post(books.deposit('answers:1', 5n));
  line.freezeAnswers();
  const verdicts = await Promise.all([2, 3, 4].map((n) => ledger.post(books.deposit(`answers:${n}`, 5n))));
  for (const [verdict] of verdicts) assert.deepEqual([verdict?.outcome, verdict?.replayed], ['applied', true]);
  await assertClean('answers', 20n);
});

test('a lane that never reached the database posts by a new connection', async () => {
  const books = booksOf('open');
  await ledger.post(books.deposit('open:1', 5n));
  line.freezeOpen();
  const [verdict] = await ledger.post(books.deposit('open:2', 5n));
  assert.deepEqual([verdict?.outcome, verdict?.replayed], ['applied', false]);
  await assertClean('open', 10n);
});

test('while the database is silent every post is unknown, waiting ones too; the same keys settle it afterwards', async () => {
  const books = booksOf('silent');
  await ledger.post(books.deposit('silent:1', 5n));
  line.freeze();
  const keys = Array.from({ length: 30 }, (_, n) => `silent:${n + 2}`);
  const first = keys.map((key) => assert.rejects(ledger.post(books.deposit(key, 1n)), LedgerUnavailable));
  await Promise.all(first);
  await assert.rejects(ledger.post(books.deposit('silent:late', 1n)), LedgerUnavailable);
  line.thaw();
  for (const key of keys) await untilPosted(() => ledger.post(books.deposit(key, 1n)));
  await assertClean('silent', 35n);
});

async function untilPosted(post: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await post();
      return;
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
    }
  }
}
