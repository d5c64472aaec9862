import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from '../start/cannot-start.ts';
import type { Database, Queryable, Tx } from './database.ts';

type Migration = { number: number; name: string; sql: string; sha256: string };
type Applied = { number: number; name: string; sha256: string };

/** The folder of the migrations of this server. */
export const MIGRATIONS = join(import.meta.dirname, '../../../migrations');

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
// Any fixed number: an advisory lock, so that concurrent migrations of this database run one after the other.
const LOCK = 7_245_101;

/**
 * Brings the database to the newest schema: applies every missing migration, by number, in one transaction. Servers
 * that start concurrently wait for each other. A file that changed after it was applied is refused, and so is a database
 * whose migrations were squashed since.
 * @throws {CannotStart} the database can't be brought to the schema of this program
 * @returns names of the migrations that were applied now
 */
export async function migrate(database: Database, folder: string = MIGRATIONS): Promise<string[]> {
  const wanted = readMigrations(folder);
  return database.tx(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    // A migration of a big table may take longer than the statement timeout.
    await tx.query('set local statement_timeout = 0');
    const applied = await readApplied(tx);
    assertUnchanged(wanted, applied);
    const missing = wanted.filter((migration) => !applied.has(migration.number));
    for (const migration of missing) await apply(tx, migration);
    return missing.map((migration) => migration.name);
  });
}

/**
 * Refuses a database whose schema isn't that of this program, and changes nothing.
 * @throws {CannotStart} it is empty, older or newer, or from before the first migration
 */
export async function assertMigrated(database: Database, folder: string = MIGRATIONS): Promise<void> {
  const wanted = readMigrations(folder);
  const { rows } = await database.query<{ table: string | null }>(
    `select to_regclass('schema_migration')::text as table`,
  );
  if (!rows[0]?.table)
    throw new CannotStart(`This database is empty: \`npm start\` or \`npm run migrate\` sets it up.`);
  const applied = await selectApplied(database);
  assertUnchanged(wanted, applied);
  const missing = wanted.filter(({ number }) => !applied.has(number));
  const [first] = missing;
  if (!first) return;
  throw new CannotStart(
    `This database is older than this program: it lacks ${missing.length} of ${wanted.length} migrations, the first is ${first.name}. \`npm start\` or \`npm run migrate\` brings it up to date.`,
  );
}

/**
 * The migrations of a folder in their order. Two files with the same number, or a name of another pattern, are refused.
 */
export function readMigrations(folder: string): Migration[] {
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => {
      const match = FILE_NAME.exec(name);
      if (!match) throw new CannotStart(`The migration ${name} is not named like 0001-words.sql.`);
      const sql = readFileSync(join(folder, name), 'utf8');
      return { number: Number(match[1]), name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    })
    .toSorted((a, b) => a.number - b.number);
  const twin = migrations.find((migration, index) => migration.number === migrations[index - 1]?.number);
  if (twin) throw new CannotStart(`Two migrations have the number of ${twin.name}.`);
  return migrations;
}

async function readApplied(tx: Tx): Promise<Map<number, Applied>> {
  await tx.query(`create table if not exists schema_migration (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`);
  return selectApplied(tx);
}

async function selectApplied(on: Queryable): Promise<Map<number, Applied>> {
  const { rows } = await on.query<Applied>('select number, name, sha256 from schema_migration');
  return new Map(rows.map((row) => [row.number, row]));
}

function assertUnchanged(wanted: Migration[], applied: Map<number, Applied>): void {
  assertNotSquashed(wanted, applied);
  for (const migration of wanted) {
    const before = applied.get(migration.number);
    if (!before || before.sha256 === migration.sha256) continue;
    throw new CannotStart(
      `The migration ${migration.name} was changed after this database had applied it (as ${before.name}). Put the old text back and write a new migration instead.`,
    );
  }
  const known = new Set(wanted.map((migration) => migration.number));
  for (const [number, { name }] of applied) {
    if (known.has(number)) continue;
    throw new CannotStart(
      `This database is newer than this program: it has the migration ${name}. Start the newer program.`,
    );
  }
}

/** Numbers go on where a squashed history ended: a lower number than the first one is of that history. */
function assertNotSquashed([first]: Migration[], applied: Map<number, Applied>): void {
  const squashed = [...applied.values()].find(({ number }) => first && number < first.number);
  if (!squashed) return;
  throw new CannotStart(
    `This database is from before the first release (it has the migration ${squashed.name}) and can't be brought up to date: set DATA_DIR to a new folder, or DATABASE_URL to an empty database, and start again.`,
  );
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  try {
    await tx.query(migration.sql);
  } catch (error) {
    throw new Error(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
  await tx.query('insert into schema_migration (number, name, sha256) values ($1, $2, $3)', [
    migration.number,
    migration.name,
    migration.sha256,
  ]);
}
