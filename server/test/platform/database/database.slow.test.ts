import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { createLedger } from '../../../src/ledger/index.ts';
import { type Queryable, openDatabase, outsideTransaction } from '../../../src/platform/database/database.ts';
import { freshDatabase } from '../../harness/fresh-database.ts';
import { ledgerAccountsOf } from '../../ledger/books.ts';

test('a caller with an open transaction cannot wait for a second connection', async () => {
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
    await fresh.dropDatabase();
  }
});

test('a database with too few connections reports it, and can be closed', async () => {
  const POOL_SIZE = 2;
  const fresh = await freshDatabase();
  const databaseUrl = new URL(fresh.url);
  let connectionCount = 0;
  const proxyServer = createServer((client) => {
    connectionCount += 1;
    if (connectionCount > POOL_SIZE) return void client.destroy();
    const upstreamSocket = connect(`${decodeURIComponent(databaseUrl.hostname)}/.s.PGSQL.${databaseUrl.port}`);
    client.pipe(upstreamSocket).pipe(client);
    client.on('error', () => upstreamSocket.destroy());
    upstreamSocket.on('error', () => client.destroy());
  });
  proxyServer.listen(0, '127.0.0.1');
  await once(proxyServer, 'listening');
  const url = new URL(fresh.url);
  url.host = `127.0.0.1:${(proxyServer.address() as AddressInfo).port}`;
  const database = openDatabase({ url: url.href, kept: POOL_SIZE + 2 });
  try {
    await assert.rejects(database.warmUp());
    await database.close();
  } finally {
    proxyServer.close();
    await fresh.dropDatabase();
  }
});

test('after a successful write, sessions left from a read-only outage are replaced before they refuse another', async () => {
  const fresh = await freshDatabase();
  const { database: owner } = fresh;
  const name = new URL(fresh.url).pathname.slice(1);
  const pool = openDatabase({ url: fresh.url, size: 4 });
  try {
    await owner.query('create table note (text text)');
    await owner.query(`alter database ${name} set default_transaction_read_only = on`);
    const startPendingReads = () => Array.from({ length: 3 }, () => pool.query('select pg_sleep(0.1)'));
    await Promise.all(startPendingReads());
    await owner.query(`alter database ${name} reset default_transaction_read_only`);
    const pendingReads = startPendingReads();
    // The other connections are busy, so this query opens a new one.
    await pool.query(`insert into note values ('first')`);
    await Promise.all(pendingReads);
    for (let time = 0; time < 4; time += 1) await pool.query(`insert into note values ('later')`);
    await pool.tx((tx) => tx.query(`insert into note values ('in a transaction')`));
    assert.equal((await pool.query('select 1 from note')).rowCount, 6);
  } finally {
    await pool.close();
    await fresh.dropDatabase();
  }
});

test('a database server that fails before TLS is unavailable', async () => {
  const silentServer = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => client.end('E'));
  });
  silentServer.listen(0, '127.0.0.1');
  await once(silentServer, 'listening');
  const { port } = silentServer.address() as AddressInfo;
  const pool = openDatabase({ url: `postgresql://krapao@127.0.0.1:${port}/krapao?sslmode=no-verify` });
  try {
    await assert.rejects(pool.query('select 1'), ({ name, isLost }) => name === 'DatabaseUnavailable' && isLost);
  } finally {
    await pool.close();
    silentServer.close();
  }
});

/** The protocol's ErrorResponse. */
function errorResponse(fields: Record<string, string>): Buffer {
  const body = Object.entries(fields).map(([type, value]) => `${type}${value}\0`);
  const text = Buffer.from(`${body.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

// Each waits for the patience of the pool and of the ledger.
describe('a database that refuses new sessions', { concurrency: true }, () => {
  for (const [code, isLost] of [
    ['XX000', true],
    ['58P01', true],
    ['58030', false],
    ['53000', false],
    ['53100', false],
  ] as const) {
    test(`a refused session with ${code} counts as unavailable, in the pool and in the ledger`, async () => {
      const fresh = await freshDatabase();
      const refusingServer = createServer((client) => {
        client.on('error', () => {});
        client.once('data', () =>
          client.end(errorResponse({ S: 'FATAL', V: 'FATAL', C: code, M: 'could not write init file' })),
        );
      });
      refusingServer.listen(0, '127.0.0.1');
      await once(refusingServer, 'listening');
      const url = `postgresql://krapao@127.0.0.1:${(refusingServer.address() as AddressInfo).port}/krapao`;
      const pool = openDatabase({ url });
      const ledger = createLedger({ url, database: fresh.database, currency: 'BAHT' });
      try {
        const expected = { name: 'DatabaseUnavailable', code, isLost };
        await assert.rejects(pool.query('select 1'), expected);
        await assert.rejects(
          pool.tx((tx) => tx.query('select 1')),
          expected,
        );
        await assert.rejects(ledger.post(ledgerAccountsOf('refused').deposit('refused', 1n)), {
          name: 'LedgerUnavailable',
        });
      } finally {
        await ledger.close();
        await pool.close();
        refusingServer.close();
        await fresh.dropDatabase();
      }
    });
  }
});

test("statements in the pool and the ledger's lanes run without JIT, whatever the database's setting", async () => {
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
    await ledger.post(ledgerAccountsOf('jit').deposit('jit', 1n));
    const { rows: sessionSettings } = await database.query(
      "select jit, current_setting('jit') as own from session_of_lane",
    );
    assert.deepEqual(sessionSettings, [{ jit: 'off', own: 'off' }]);
  } finally {
    await ledger.close();
    await database.close();
    await fresh.dropDatabase();
  }
});

/** Names of a connection's prepared statements. */
async function readPreparedNames(connection: Queryable): Promise<string[]> {
  const { rows } = await connection.query<{ statement: string }>(
    'select statement from pg_prepared_statements order by prepare_time',
  );
  return rows.map(({ statement }) => statement);
}

test('a repeated statement is prepared once per connection; rare ones and several in one text are not', async () => {
  const fresh = await freshDatabase();
  const { database } = fresh;
  const connections = [await database.connection(), await database.connection()];
  try {
    const RECURRING_QUERY = 'select $1::int as value';
    for (let value = 0; value < 20; value += 1) {
      for (const connection of connections) {
        assert.deepEqual((await connection.query(RECURRING_QUERY, [value])).rows, [{ value }]);
        await connection.query('select 1; select 2');
        await connection.query(`select ${value} as own`);
      }
    }
    for (const connection of connections) assert.deepEqual(await readPreparedNames(connection), [RECURRING_QUERY]);
  } finally {
    for (const connection of connections) connection.release();
    await fresh.dropDatabase();
  }
});

test('a prepared statement whose columns a migration changes still runs', async () => {
  const fresh = await freshDatabase();
  const database = openDatabase({ url: fresh.url, size: 1 });
  const readChanging = (queryable: Queryable) => queryable.query('select * from changing');
  try {
    await fresh.database.query('create table changing (value int)');
    await fresh.database.query('insert into changing values (1)');
    for (let round = 0; round < 10; round += 1) await readChanging(database);
    await fresh.database.query('alter table changing alter value type text');
    assert.deepEqual((await readChanging(database)).rows, [{ value: '1' }]);
    for (let round = 0; round < 10; round += 1) await readChanging(database);
    await fresh.database.query('alter table changing add more int');
    assert.deepEqual((await database.tx((tx) => readChanging(tx))).rows, [{ value: '1', more: null }]);
  } finally {
    await database.close();
    await fresh.dropDatabase();
  }
});

test('a transaction is open before its first statement, even if its connection was reused', async () => {
  const fresh = await freshDatabase();
  const database = openDatabase({ url: fresh.url, size: 1 });
  const count = () => outsideTransaction(async () => (await fresh.database.query('select from written')).rowCount);
  try {
    await fresh.database.query('create table written (value int primary key)');
    const insertWritten = (tx: Queryable, value: number) => tx.query('insert into written values ($1)', [value]);
    for (let round = 0; round < 10; round += 1) {
      await assert.rejects(
        database.tx(async (tx) => {
          const { rowCount } = await insertWritten(tx, round);
          assert.equal(rowCount, 1);
          assert.equal(await count(), round);
          throw new Error('changed its mind');
        }),
        /changed its mind/,
      );
      assert.equal(await count(), round, 'rolled back');
      await database.tx(async (tx) => {
        await Promise.all([insertWritten(tx, round), insertWritten(tx, round + 1_000)]);
        assert.equal(await count(), round);
        await tx.query('delete from written where value >= 1000');
      });
      assert.equal(await count(), round + 1, 'committed');
      await assert.rejects(
        database.tx(async (tx) => {
          await assert.rejects(insertWritten(tx, round), /duplicate key/);
          await insertWritten(tx, round + 1_000);
        }),
      );
      assert.equal(await database.tx(async () => 'nothing to commit'), 'nothing to commit');
      const multipleResults = await database.tx((tx) => tx.query('select 1; select 2'));
      assert.ok(multipleResults);
    }
  } finally {
    await database.close();
    await fresh.dropDatabase();
  }
});

test('a warning that is not about the standby fails no statement', async () => {
  const fresh = await freshDatabase();
  try {
    const { rows } = await fresh.database.query('select pg_terminate_backend(2147483647) as ended');
    assert.deepEqual(rows, [{ ended: false }]);
  } finally {
    await fresh.dropDatabase();
  }
});
