import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { postBatchStatement, encodeOperation } from '../../src/ledger/codec.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

const fresh = await freshDatabase();
after(() => fresh.dropDatabase());

test('a batch resolves its holds by primary key, without a scan of all open holds', async () => {
  const { deposit, hold, resolve } = ledgerAccountsOf('holder');
  const countScans = await fresh.database.tx(async (tx) => {
    for (const operation of [deposit('d', 100n), hold('h', 40n), resolve('post', 'p', 'h')]) {
      const { text, values } = postBatchStatement(0, [{ groups: [[encodeOperation(operation, 'BAHT')]] }]);
      const { rows } = await tx.query<{ outcomes: string }>(text, values);
      assert.equal(rows[0]?.outcomes, 'a');
    }
    const { rows } = await tx.query<{ scans: number }>(
      `select pg_stat_get_xact_numscans('ledger.operation_open'::regclass)::int as scans`,
    );
    return rows[0]?.scans;
  });
  assert.equal(countScans, 0);
});
