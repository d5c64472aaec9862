import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { copyDatabase } from '../../src/platform/database/copy.ts';
import { lockProgramVersion, migrate, MIGRATIONS, readMigrations } from '../../src/platform/database/migrate.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

/** The key of the migrations' advisory lock. */
const MIGRATION_LOCK_KEY = 7_245_101;

let source: FreshDatabase;
let target: FreshDatabase;
before(async () => {
  source = await freshDatabase();
  await insertPlainMember(source.database);
});
after(() => source.dropDatabase());
beforeEach(async () => {
  target = await emptyDatabase();
});
afterEach(() => target.dropDatabase());

/**
 * Migrates the target without the newest migration, like an older program. @returns the number of applied migrations
 */
async function migrateToOlderVersion(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-older-'));
  try {
    cpSync(MIGRATIONS, folder, { recursive: true });
    rmSync(join(folder, readMigrations(folder).at(-1)?.name ?? ''));
    return (await migrate(target.database, folder)).length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const countTargetMigrations = async (): Promise<number> =>
  (await target.database.query('select from schema_migration')).rowCount;

test('copying a database onto itself is refused instead of waiting forever', async () => {
  await assert.rejects(copyDatabase(source.url, source.url), /The target is the database that is copied/);
});

test('a copy to a database in use, even by an older version, is refused before it changes', async () => {
  const olderDatabase = await migrateToOlderVersion();
  await insertPlainMember(target.database);
  await assert.rejects(copyDatabase(source.url, target.url), /has been used already/);
  assert.equal(await countTargetMigrations(), olderDatabase);
});

test('a copy to a database on which an older server runs is refused before it changes', async () => {
  const olderDatabase = await migrateToOlderVersion();
  const server = await target.database.connection();
  await lockProgramVersion(server);
  await assert.rejects(copyDatabase(source.url, target.url), /A server runs on the target/);
  server.release(new Error('stopped'));
  assert.equal(await countTargetMigrations(), olderDatabase);
});

test('a database migrated by a newer program is not copied without the effects of its migrations', async () => {
  await source.database.query(
    `insert into schema_migration (number, name, sha256, oldest_program) values (9999, '9999-later', 'x', 1)`,
  );
  try {
    await assert.rejects(copyDatabase(source.url, target.url), /another schema than this program .*9999-later/);
  } finally {
    await source.database.query('delete from schema_migration where number = 9999');
  }
  const { rows } = await target.database.query('select from member');
  assert.equal(rows.length, 0);
});

test('commits of a server before it stops are copied, even if the copy has started to wait for it', async () => {
  const server = await source.database.connection();
  await server.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
  const pendingCopy = copyDatabase(source.url, target.url);
  await waitUntil(
    async () =>
      (
        await source.database.query(
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rowCount,
    (waitingCount) => waitingCount === 1,
    'the copy waits',
  );
  const last = await insertPlainMember(source.database);
  server.release(new Error('stopped'));
  const copyResult = await pendingCopy;
  assert.equal(copyResult.find(({ table }) => table === 'public.member')?.rows, 2);
  const { rows } = await target.database.query('select from member where id = $1', [last]);
  assert.equal(rows.length, 1);
});
