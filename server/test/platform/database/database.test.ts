import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { openDatabase, outsideTransaction } from '../../../src/platform/database/database.ts';
import { freshDatabase } from '../../harness/fresh-database.ts';

test('a caller with an open transaction can not wait for a second connection', async () => {
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

test('a database that has only some of the connections to give says so, and can be closed', async () => {
  const GIVEN = 2;
  const fresh = await freshDatabase();
  const real = new URL(fresh.url);
  let asked = 0;
  const door = createServer((client) => {
    asked += 1;
    if (asked > GIVEN) return void client.destroy();
    const line = connect(`${decodeURIComponent(real.hostname)}/.s.PGSQL.${real.port}`);
    client.pipe(line).pipe(client);
    client.on('error', () => line.destroy());
    line.on('error', () => client.destroy());
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = new URL(fresh.url);
  url.host = `127.0.0.1:${(door.address() as AddressInfo).port}`;
  const database = openDatabase({ url: url.href, kept: GIVEN + 2 });
  try {
    await assert.rejects(database.warmUp());
    await database.close();
  } finally {
    door.close();
    await fresh.drop();
  }
});
