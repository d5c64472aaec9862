import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { migrate, readMigrations } from '../../../src/platform/database/migrate.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';

describe('migrations', () => {
  let fresh: FreshDatabase;
  let folder: string;

  before(async () => {
    fresh = await freshDatabase();
    await fresh.database.query('drop table schema_migration');
    folder = mkdtempSync(join(tmpdir(), 'krapao-migrations-'));
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (2)');
    writeFileSync(join(folder, '0001-first.sql'), 'create table walked (step integer); insert into walked values (1)');
    writeFileSync(join(folder, '0010-third.sql'), 'insert into walked (step) values (3)');
  });

  after(async () => {
    rmSync(folder, { recursive: true });
    await fresh.drop();
  });

  test('three servers that start at once apply each file once, in the order of numbers', async () => {
    const { database } = fresh;
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database, folder)));
    assert.deepEqual(
      applied.map((names) => names.length).toSorted((a, b) => a - b),
      [0, 0, 3],
    );
    const { rows } = await database.query<{ step: number }>('select step from walked');
    assert.deepEqual(rows, [{ step: 1 }, { step: 2 }, { step: 3 }]);
  });

  test('a migration that fails leaves nothing of the others behind', async () => {
    writeFileSync(join(folder, '0011-half.sql'), 'insert into walked values (4)');
    writeFileSync(join(folder, '0012-broken.sql'), 'insert into nowhere values (1)');
    await assert.rejects(migrate(fresh.database, folder), /0012-broken\.sql failed: relation "nowhere" does not exist/);
    rmSync(join(folder, '0012-broken.sql'));
    rmSync(join(folder, '0011-half.sql'));
    const { rows } = await fresh.database.query<{ steps: bigint }>('select count(*) as steps from walked');
    assert.equal(rows[0]?.steps, 3n);
  });

  test('a file that was edited after it was applied is refused by name', async () => {
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (22)');
    await assert.rejects(migrate(fresh.database, folder), /0002-second\.sql was changed after/);
  });

  test('a database newer than the program is refused', async () => {
    rmSync(join(folder, '0010-third.sql'));
    writeFileSync(join(folder, '0002-second.sql'), 'insert into walked (step) values (2)');
    await assert.rejects(
      migrate(fresh.database, folder),
      /newer than this program: it has the migration 0010-third\.sql/,
    );
  });

  test('two files of one number, or a name of another pattern, are refused', () => {
    writeFileSync(join(folder, '0001-twin.sql'), '');
    assert.throws(() => readMigrations(folder), /the number of/);
    rmSync(join(folder, '0001-twin.sql'));
    writeFileSync(join(folder, 'notes.sql'), '');
    assert.throws(() => readMigrations(folder), /notes\.sql is not named like/);
  });
});
