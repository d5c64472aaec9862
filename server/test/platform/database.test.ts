import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outsideTransaction } from '../../src/platform/database.ts';
import { freshDatabase } from '../harness/fresh-database.ts';

test('whoever has a transaction open can not wait for a second connection', async () => {
  const fresh = await freshDatabase();
  const { database } = fresh;
  try {
    await assert.rejects(
      database.tx(async () => database.query('select 1')),
      /second connection/,
    );
    await assert.rejects(
      database.tx(async () => database.tx(async () => 1)),
      /second transaction/,
    );
    const { rows } = await database.tx(async (tx) => {
      await outsideTransaction(() => database.query('select 2'));
      return tx.query<{ three: number }>('select 3 as three');
    });
    assert.deepEqual(rows, [{ three: 3 }], 'its own connection is there for it');
    assert.equal((await database.query('select 4')).rowCount, 1, 'and nothing is left over afterwards');
  } finally {
    await fresh.drop();
  }
});
