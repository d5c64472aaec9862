import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { type Queryable, openDatabase, outsideTransaction } from '../../../src/platform/database/database.ts';
import { createLedger } from '../../../src/ledger/index.ts';
import { freshDatabase } from '../../harness/fresh-database.ts';
import { booksOf } from '../../ledger/books.ts';

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

test('once a write has gone through, sessions of a read-only outage are replaced before they refuse another', async () => {
  const fresh = await freshDatabase();
  const { database: owner } = fresh;
  const name = new URL(fresh.url).pathname.slice(1);
  const pool = openDatabase({ url: fresh.url, size: 4 });
  try {
    await owner.query('create table note (text text)');
    await owner.query(`alter database ${name} set default_transaction_read_only = on`);
    const sessionsOfTheOutage = () => Array.from({ length: 3 }, () => pool.query('select pg_sleep(0.1)'));
    await Promise.all(sessionsOfTheOutage());
    await owner.query(`alter database ${name} reset default_transaction_read_only`);
    const reading = sessionsOfTheOutage();
    // The others are busy, so that it gets a connection of its own.
    await pool.query(`insert into note values ('first')`);
    await Promise.all(reading);
    for (let time = 0; time < 4; time += 1) await pool.query(`insert into note values ('later')`);
    await pool.tx((tx) => tx.query(`insert into note values ('in a transaction')`));
    assert.equal((await pool.query('select 1 from note')).rowCount, 6);
  } finally {
    await pool.close();
    await fresh.drop();
  }
});

test('a server that fails before it speaks TLS is unavailable', async () => {
  const door = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => client.end('E'));
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  const pool = openDatabase({ url: `postgresql://krapao@127.0.0.1:${port}/krapao?sslmode=no-verify` });
  try {
    await assert.rejects(pool.query('select 1'), ({ name, isLost }) => name === 'DatabaseUnavailable' && isLost);
  } finally {
    await pool.close();
    door.close();
  }
});

test('no plan is compiled before it runs, in the pool and in the lanes of the ledger, whatever the database sets', async () => {
  const fresh = await freshDatabase();
  const { database: owner } = fresh;
  await owner.query(`do $$ begin execute format('alter database %I set jit = on', current_database()); end $$;
    create table session_of_lane (jit text);
    create function record_jit() returns trigger language plpgsql as
      $$ begin insert into session_of_lane values (current_setting('jit')); return new; end $$;
    create trigger record_jit after insert on ledger.batch for each row execute function record_jit()`);
  const database = openDatabase({ url: fresh.url });
  const ledger = createLedger({ url: fresh.url, database, currency: 'BAHT' });
  try {
    await ledger.post(booksOf('jit').deposit('jit', 1n));
    const { rows: found } = await database.query("select jit, current_setting('jit') as own from session_of_lane");
    assert.deepEqual(found, [{ jit: 'off', own: 'off' }]);
  } finally {
    await ledger.close();
    await database.close();
    await fresh.drop();
  }
});

/** The statements that a connection has prepared. */
async function preparedOn(connection: Queryable): Promise<string[]> {
  const { rows } = await connection.query<{ statement: string }>(
    'select statement from pg_prepared_statements order by prepare_time',
  );
  return rows.map(({ statement }) => statement);
}

test('a statement that recurs is prepared once in each connection; rare ones and several in one text are not', async () => {
  const fresh = await freshDatabase();
  const { database } = fresh;
  const connections = [await database.connection(), await database.connection()];
  try {
    const RECURRING = 'select $1::int as value';
    for (let value = 0; value < 20; value += 1) {
      for (const connection of connections) {
        assert.deepEqual((await connection.query(RECURRING, [value])).rows, [{ value }]);
        await connection.query('select 1; select 2');
        await connection.query(`select ${value} as own`);
      }
    }
    for (const connection of connections) assert.deepEqual(await preparedOn(connection), [RECURRING]);
  } finally {
    for (const connection of connections) connection.release();
    await fresh.drop();
  }
});

test('a prepared statement whose columns a migration changes is executed all the same', async () => {
  const fresh = await freshDatabase();
  const database = openDatabase({ url: fresh.url, size: 1 });
  const read = (on: Queryable) => on.query('select * from changing');
  try {
    await fresh.database.query('create table changing (value int)');
    await fresh.database.query('insert into changing values (1)');
    for (let round = 0; round < 10; round += 1) await read(database);
    await fresh.database.query('alter table changing alter value type text');
    assert.deepEqual((await read(database)).rows, [{ value: '1' }]);
    for (let round = 0; round < 10; round += 1) await read(database);
    await fresh.database.query('alter table changing add more int');
    assert.deepEqual((await database.tx((tx) => read(tx))).rows, [{ value: '1', more: null }]);
  } finally {
    await database.close();
    await fresh.drop();
  }
});

test('a transaction is open before its first statement, however often its connection has begun one', async () => {
  const fresh = await freshDatabase();
  const database = openDatabase({ url: fresh.url, size: 1 });
  const count = () => outsideTransaction(async () => (await fresh.database.query('select from written')).rowCount);
  try {
    await fresh.database.query('create table written (value int primary key)');
    const insert = (tx: Queryable, value: number) => tx.query('insert into written values ($1)', [value]);
    for (let round = 0; round < 10; round += 1) {
      await assert.rejects(
        database.tx(async (tx) => {
          const { rowCount } = await insert(tx, round);
          assert.equal(rowCount, 1);
          assert.equal(await count(), round);
          throw new Error('changed its mind');
        }),
        /changed its mind/,
      );
      assert.equal(await count(), round, 'rolled back');
      await database.tx(async (tx) => {
        await Promise.all([insert(tx, round), insert(tx, round + 1_000)]);
        assert.equal(await count(), round);
        await tx.query('delete from written where value >= 1000');
      });
      assert.equal(await count(), round + 1, 'committed');
      await assert.rejects(
        database.tx(async (tx) => {
          await assert.rejects(insert(tx, round), /duplicate key/);
          await insert(tx, round + 1_000);
        }),
      );
      assert.equal(await database.tx(async () => 'nothing to commit'), 'nothing to commit');
      const several = await database.tx((tx) => tx.query('select 1; select 2'));
      assert.ok(several);
    }
  } finally {
    await database.close();
    await fresh.drop();
  }
});
