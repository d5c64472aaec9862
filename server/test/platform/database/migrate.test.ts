import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lockProgramVersion, assertMigrated, migrate, readMigrations } from '../../../src/platform/database/migrate.ts';
import { type FreshDatabase, emptyDatabase, freshDatabase } from '../../harness/fresh-database.ts';
import { waitUntilResult } from '../../harness/games.ts';

/** A program's folder of migrations. The folder `sql` beside it has the functions. */
function createMigrationFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'krapao-migrations-')), 'migrations');
  mkdirSync(join(folder, '../sql/public'), { recursive: true });
  mkdirSync(folder);
  return folder;
}

function writeFunction(folder: string, migration: string, body: string): void {
  const sql = `create or replace function pace() returns integer language sql as 'select ${body}';`;
  writeFileSync(join(folder, '../sql/public/pace.sql'), `-- migration: ${migration}\n\n${sql}\n`);
}

describe('migrations', () => {
  let fresh: FreshDatabase;
  let folder: string;
  /** Migrations of a later version. */
  let newer: string;

  before(async () => {
    fresh = await freshDatabase();
    await fresh.database.query('drop table schema_migration');
    folder = createMigrationFolder();
    newer = createMigrationFolder();
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (2)');
    writeFileSync(join(folder, '0001-first.sql'), 'create table walked (step integer); insert into walked values (1)');
    writeFileSync(join(folder, '0010-third.sql'), 'insert into walked (step) values (3)');
  });

  after(async () => {
    for (const directory of [folder, newer]) rmSync(dirname(directory), { recursive: true });
    await fresh.dropDatabase();
  });

  test('three servers that start concurrently apply each migration once, in order', async () => {
    const { database } = fresh;
    const migrationResults = await Promise.all([1, 2, 3].map(() => migrate(database, folder)));
    assert.deepEqual(
      migrationResults.map((names) => names.length).toSorted((a, b) => a - b),
      [0, 0, 3],
    );
    const { rows } = await database.query<{ step: number }>('select step from walked');
    assert.deepEqual(rows, [{ step: 1 }, { step: 2 }, { step: 3 }]);
  });

  test('a failed migration rolls back all others of its start', async () => {
    writeFileSync(join(folder, '0011-half.sql'), 'insert into walked values (4)');
    writeFileSync(join(folder, '0012-broken.sql'), 'insert into nowhere values (1)');
    await assert.rejects(migrate(fresh.database, folder), /0012-broken\.sql failed: relation "nowhere" does not exist/);
    rmSync(join(folder, '0012-broken.sql'));
    rmSync(join(folder, '0011-half.sql'));
    const { rows } = await fresh.database.query<{ steps: bigint }>('select count(*) as steps from walked');
    assert.equal(rows[0]?.steps, 3n);
  });

  test('a migration edited after it was applied is refused by name', async () => {
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (22)');
    await assert.rejects(migrate(fresh.database, folder), /0002-second\.sql was changed after/);
  });

  test('a database newer than the program is refused at the start', async () => {
    rmSync(join(folder, '0010-third.sql'));
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (2)');
    await assert.rejects(
      migrate(fresh.database, folder),
      /newer than this program: it has the migration 0010-third\.sql/,
    );
  });

  test('a migration that waits for a table lock does not block callers, and is retried', async () => {
    writeFileSync(join(folder, '0010-third.sql'), 'insert into walked (step) values (3)');
    await fresh.database.query('create table busy (id integer)');
    writeFileSync(join(folder, '0011-waits.sql'), '-- oldest program: 0010\nalter table busy add column name text;');
    const readerConnection = await fresh.database.connection();
    await readerConnection.query('begin');
    await readerConnection.query('select from busy');
    const pendingMigration = migrate(fresh.database, folder);
    await waitUntilResult(
      'the migration waits',
      () => fresh.database.query(`select from pg_locks where not granted and relation = 'busy'::regclass`),
      ({ rowCount }) => rowCount > 0,
    );
    assert.equal((await fresh.database.query('select from busy')).rowCount, 0);
    await readerConnection.query('commit');
    readerConnection.release();
    assert.deepEqual(await pendingMigration, ['0011-waits.sql']);
  });

  test('a program runs and starts on a newer schema whose migrations declare it or an older one', async () => {
    cpSync(folder, newer, { recursive: true });
    writeFileSync(
      join(newer, '0020-expand.sql'),
      '-- oldest program: 0011\nalter table walked add column pace integer;',
    );
    const runningProgram = await fresh.database.connection();
    await lockProgramVersion(runningProgram, readMigrations(folder));
    assert.deepEqual(await migrate(fresh.database, newer), ['0020-expand.sql']);
    assert.deepEqual(await migrate(fresh.database, folder), []);
    await assertMigrated(fresh.database, folder);
    await lockProgramVersion(runningProgram, readMigrations(folder));
    runningProgram.release(new Error('it stops'));
  });

  test('a migration incompatible with a running program is refused until that stops, and that program cannot start again', async () => {
    writeFileSync(join(newer, '0021-contract.sql'), '-- oldest program: 0020\nalter table walked drop column step;');
    const runningProgram = await fresh.database.connection();
    await lockProgramVersion(runningProgram, readMigrations(folder));
    await assert.rejects(
      migrate(fresh.database, newer),
      /0021-contract\.sql needs every program on this database to have the migration 0020, but a server with 0011 as its newest still runs: stop or upgrade it first\./,
    );
    runningProgram.release(new Error('it stops'));
    const upgradedProgram = await fresh.database.connection();
    rmSync(join(newer, '0021-contract.sql'));
    await lockProgramVersion(upgradedProgram, readMigrations(newer));
    writeFileSync(join(newer, '0021-contract.sql'), '-- oldest program: 0020\nalter table walked drop column step;');
    // The server closes the session in its own time.
    const appliedMigrations = await waitUntilResult(
      'the contraction',
      () => migrate(fresh.database, newer).catch((error: Error) => error.message),
      (result) => typeof result !== 'string',
    );
    assert.deepEqual(appliedMigrations, ['0021-contract.sql']);
    upgradedProgram.release(new Error('it stops'));
    for (const start of [migrate, assertMigrated]) {
      await assert.rejects(
        start(fresh.database, folder),
        /newer than this program: it has the migration 0021-contract/,
      );
    }
  });

  test('two migrations of one number, or with an invalid file name, are refused', () => {
    writeFileSync(join(folder, '0001-twin.sql'), '');
    assert.throws(() => readMigrations(folder), /the number of/);
    rmSync(join(folder, '0001-twin.sql'));
    writeFileSync(join(folder, 'notes.sql'), '');
    assert.throws(() => readMigrations(folder), /notes\.sql is not named like/);
  });
});

describe('functions of the database', () => {
  let fresh: FreshDatabase;
  let folder: string;

  before(async () => {
    fresh = await emptyDatabase();
    folder = createMigrationFolder();
    writeFileSync(join(folder, '0022-functions.sql'), '');
  });

  after(async () => {
    rmSync(dirname(folder), { recursive: true });
    await fresh.dropDatabase();
  });

  test('a changed function is applied once, with its migration, and stays when an older program starts', async () => {
    const { database } = fresh;
    const readPace = async () => (await database.query<{ pace: number }>('select pace()')).rows[0]?.pace;
    const readAppliedAt = async () => (await database.query('select applied_at from schema_function')).rows;
    writeFunction(folder, '0022', '1');
    await migrate(database, folder);
    assert.equal(await readPace(), 1);
    const appliedAt = await readAppliedAt();
    await migrate(database, folder);
    assert.deepEqual(await readAppliedAt(), appliedAt);
    const older = createMigrationFolder();
    cpSync(dirname(folder), dirname(older), { recursive: true });
    writeFileSync(join(folder, '0023-functions.sql'), '-- oldest program: 0022\n');
    writeFunction(folder, '0023', '2');
    assert.deepEqual(await migrate(database, folder), ['0023-functions.sql']);
    assert.equal(await readPace(), 2);
    assert.deepEqual(await migrate(database, older), []);
    assert.equal(await readPace(), 2);
    rmSync(dirname(older), { recursive: true });
  });

  test('a function that changed without a migration, names none or is invalid is refused, and nothing changes', async () => {
    const { database } = fresh;
    writeFunction(folder, '0023', '3');
    await assert.rejects(migrate(database, folder), /pace\.sql were changed after this database had applied them/);
    writeFunction(folder, '0024', '3');
    await assert.rejects(migrate(database, folder), /pace\.sql is not `-- migration: NNNN` with a migration/);
    writeFileSync(join(folder, '0024-functions.sql'), '-- oldest program: 0023\n');
    writeFunction(folder, '0024', `3''`);
    await assert.rejects(migrate(database, folder), /The functions public\/pace\.sql failed: /);
    const { rows } = await database.query('select pace(), max(number) from schema_migration');
    assert.deepEqual(rows, [{ pace: 2, max: 23 }]);
    rmSync(join(folder, '0024-functions.sql'));
  });
});
