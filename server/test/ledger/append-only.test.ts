import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLedger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const ledger = createLedger({ url, database, currency: 'BAHT' });
after(async () => {
  await ledger.close();
  await fresh.dropDatabase();
});

test('entries of the ledger can be inserted, but not changed or deleted', async () => {
  const operations = ledgerAccountsOf('member');
  await ledger.post(operations.deposit('a1', 9_000n));
  const readEntries = async () => (await database.query('select * from ledger.entry order by account_id, seq')).rows;
  const before = await readEntries();
  for (const statement of [
    'update ledger.entry set amount = amount + 1',
    'update ledger.entry set amount = amount where seq < 0',
    'delete from ledger.entry',
    'truncate ledger.entry',
  ]) {
    await assert.rejects(database.query(statement), /the table entry is append-only/, statement);
  }
  assert.deepEqual(await readEntries(), before);
  await ledger.post(operations.deposit('a2', 1_000n));
  assert.equal((await readEntries()).length, before.length + 2);
});
