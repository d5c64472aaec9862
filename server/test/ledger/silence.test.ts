import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLedger, type Ledger, LedgerUnavailable } from '../../src/ledger/index.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

let fresh: FreshDatabase;
let databaseProxy: DatabaseProxy;
let database: Database;
let ledger: Ledger;

before(async () => {
  fresh = await freshDatabase();
  databaseProxy = await startDatabaseProxy(fresh.url);
  database = openDatabase({ url: databaseProxy.url });
  ledger = createLedger({ url: databaseProxy.url, database, currency: 'BAHT' });
});
after(async () => {
  await ledger.close();
  await database.close();
  databaseProxy.close();
  await fresh.dropDatabase();
});

const assertClean = async (member: string, expectedPosted: bigint): Promise<void> => {
  assert.equal((await ledger.balances(member))[0]?.posted, expectedPosted);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
};

test('a lane whose replies are lost sends the same keys again on a new connection: nothing is posted twice', async () => {
  const operations = ledgerAccountsOf('answers');
  await ledger.post(operations.deposit('answers:1', 5n));
  databaseProxy.freezeReplies();
  const verdicts = await Promise.all([2, 3, 4].map((n) => ledger.post(operations.deposit(`answers:${n}`, 5n))));
  for (const [verdict] of verdicts) assert.deepEqual([verdict?.outcome, verdict?.replayed], ['applied', true]);
  await assertClean('answers', 20n);
});

test('a lane that never reached the database posts on a new connection', async () => {
  const operations = ledgerAccountsOf('open');
  await ledger.post(operations.deposit('open:1', 5n));
  databaseProxy.freezeOpenConnections();
  const [verdict] = await ledger.post(operations.deposit('open:2', 5n));
  assert.deepEqual([verdict?.outcome, verdict?.replayed], ['applied', false]);
  await assertClean('open', 10n);
});

test('while the database is silent every operation is unknown, also waiting ones; the same keys settle it later', async () => {
  const operations = ledgerAccountsOf('silent');
  await ledger.post(operations.deposit('silent:1', 5n));
  databaseProxy.freeze();
  const keys = Array.from({ length: 30 }, (_, n) => `silent:${n + 2}`);
  const first = keys.map((key) => assert.rejects(ledger.post(operations.deposit(key, 1n)), LedgerUnavailable));
  await Promise.all(first);
  await assert.rejects(ledger.post(operations.deposit('silent:late', 1n)), LedgerUnavailable);
  databaseProxy.thaw();
  for (const key of keys) await waitUntilPosted(() => ledger.post(operations.deposit(key, 1n)));
  await assertClean('silent', 35n);
});

async function waitUntilPosted(postOperation: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await postOperation();
      return;
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
    }
  }
}
