import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { UserError } from '../errors.ts';
import { sleep } from '../time.ts';
import { sqlState, type Database, type Queryable, type Tx } from './database.ts';
import { applyFunctionFiles, readFunctionFiles } from './sql-functions.ts';

/**
 * A migration file. The newest migration identifies a program. `oldestProgram`: the oldest program that works on the
 * schema after this migration; its own number unless the file declares an earlier one.
 */
type Migration = { number: number; name: string; sql: string; sha256: string; oldestProgram: number };
/** A row of the applied migrations. `oldestProgram` is null for migrations applied before files could declare it. */
type AppliedMigration = { number: number; name: string; sha256: string; oldestProgram: number | null };

/** The folder of the migrations of this server. The folder `sql` beside it has the current functions. */
export const MIGRATIONS = join(import.meta.dirname, '../../../migrations');

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
/** First line of a migration that is compatible with older programs: the number of the oldest of them. */
const OLDEST_PROGRAM_HEADER = /^-- oldest program: (\d{4})\n/;
// Key of an advisory lock (any fixed number): concurrent migrations of a database run one after the other.
const MIGRATION_LOCK = 7_245_101;
// First key of the advisory locks of running programs (any fixed number). The second key is their newest migration.
const PROGRAM_LOCK_CLASS = 7_245_102;
/** Maximum wait of a migration for a table: queries of serving nodes queue behind the wait. */
const LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';
const ATTEMPTS_MAX = 30;
const RETRY_PAUSE_MS = 500;

/**
 * Migrates the database to the newest schema: applies missing migrations by number, then changed functions, in one
 * transaction. Servers that start concurrently wait for each other. Refuses a changed file, a database whose migrations were squashed, and a
 * migration that is incompatible with a running program.
 * @throws {UserError} the database can't be migrated to the schema of this program
 * @returns names of the newly applied migrations
 */
export async function migrate(database: Database, folder: string = MIGRATIONS): Promise<string[]> {
  const migrations = readMigrations(folder);
  const functionFiles = readFunctionFiles(join(folder, '../sql'), new Set(migrations.map(({ number }) => number)));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.tx(async (tx) => {
        const appliedNames = await applyMissing(tx, migrations);
        // Functions of a newer program stay.
        if (!(await isNewer(tx, migrations))) await applyFunctionFiles(tx, functionFiles);
        return appliedNames;
      });
    } catch (error) {
      if (sqlState((error as Error).cause ?? error) !== LOCK_NOT_AVAILABLE || attempt >= ATTEMPTS_MAX) throw error;
      // A long statement holds a table: the pause lets queued queries of other nodes pass.
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

/** Whether a newer program has migrated the database. */
async function isNewer(tx: Tx, migrations: Migration[]): Promise<boolean> {
  const { rows } = await tx.query<{ newest: number }>('select max(number) as newest from schema_migration');
  return (rows[0]?.newest ?? 0) > (migrations.at(-1)?.number ?? 0);
}

async function applyMissing(tx: Tx, migrations: Migration[]): Promise<string[]> {
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  // A migration of a big table may take longer than the statement timeout.
  await tx.query('set local statement_timeout = 0');
  await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  const appliedMigrations = await readApplied(tx);
  assertUnchanged(migrations, appliedMigrations);
  const missingMigrations = migrations.filter((migration) => !appliedMigrations.has(migration.number));
  if (missingMigrations.length > 0) await assertNoneTooOld(tx, missingMigrations);
  for (const migration of missingMigrations) await applyMigration(tx, migration);
  return missingMigrations.map((migration) => migration.name);
}

/**
 * Registers a running program for later migrations, while the session of `on` is open. Checks that the program is
 * compatible with the schema.
 * @param migrations migrations of the program at its start
 * @throws {UserError} the schema is too new for this program
 */
export async function lockProgramVersion(on: Queryable, migrations = readMigrations(MIGRATIONS)): Promise<void> {
  await on.query('select pg_advisory_lock_shared($1, $2)', [PROGRAM_LOCK_CLASS, migrations.at(-1)?.number ?? 0]);
  // A running migration has counted the programs already, so this registration waits for its outcome.
  await on.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK]);
  await on.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK]);
  assertUnchanged(migrations, await selectApplied(on));
}

/** Selects `newest`: the newest migration of the oldest running program. */
const NEWEST_PROGRAM_SQL = `select min(objid::bigint)::int as newest from pg_locks
  where locktype = 'advisory' and classid = ${PROGRAM_LOCK_CLASS} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

/** Whether a server without this migration runs. */
export async function runsOlderProgram(on: Queryable, migrationNumber: number): Promise<boolean> {
  const { rows } = await on.query<{ newest: number | null }>(NEWEST_PROGRAM_SQL);
  const newest = rows[0]?.newest ?? null;
  return newest !== null && newest < migrationNumber;
}

/**
 * Keeps servers from starting on the database and from migrating it, until the session of `on` ends.
 * @param databaseLabel names the database in error messages
 * @throws {UserError} a server runs on the database
 */
export async function lockOutServers(on: pg.ClientBase, databaseLabel: string): Promise<void> {
  await on.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await assertNoProgram(on, databaseLabel);
}

/**
 * @throws {UserError} a server runs on the target of a copy, another session migrates it, or it is the source itself
 */
export async function assertUnlocked(target: pg.ClientBase): Promise<void> {
  const { rows } = await target.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [MIGRATION_LOCK]);
  if (!rows[0]?.is) {
    throw new UserError('The target is the database that is copied, or is being migrated. Nothing was changed.');
  }
  await assertNoProgram(target, 'the target');
  await target.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
}

async function assertNoProgram(on: pg.ClientBase, databaseLabel: string): Promise<void> {
  const { rows } = await on.query<{ newest: number | null }>(NEWEST_PROGRAM_SQL);
  if ((rows[0]?.newest ?? null) === null) return;
  throw new UserError(`A server runs on ${databaseLabel}: stop it first. Nothing was changed.`);
}

async function assertNoneTooOld(tx: Tx, missingMigrations: Migration[]): Promise<void> {
  const { rows } = await tx.query<{ newest: number | null }>(NEWEST_PROGRAM_SQL);
  const newestProgram = rows[0]?.newest ?? undefined;
  const refusedMigration = missingMigrations.find(
    ({ oldestProgram }) => newestProgram !== undefined && newestProgram < oldestProgram,
  );
  if (!refusedMigration) return;
  throw new UserError(
    `The migration ${refusedMigration.name} needs every program on this database to have the migration ${fourDigits(refusedMigration.oldestProgram)}, but a server with ${fourDigits(newestProgram ?? 0)} as its newest still runs: stop or upgrade it first.`,
  );
}

const fourDigits = (number: number): string => String(number).padStart(4, '0');

/**
 * Refuses a database with an incompatible schema, without changing it.
 * @throws {UserError} the database is empty, older, incompatibly newer, or older than the first migration
 */
export async function assertMigrated(database: Database, folder: string = MIGRATIONS): Promise<void> {
  const migrations = readMigrations(folder);
  const { rows } = await database.query<{ table: string | null }>(
    `select to_regclass('schema_migration')::text as table`,
  );
  if (!rows[0]?.table)
    throw new UserError(`This database is empty: \`krapao migrate\` or the start of the server sets it up.`);
  const appliedMigrations = await selectApplied(database);
  assertUnchanged(migrations, appliedMigrations);
  const missingMigrations = migrations.filter(({ number }) => !appliedMigrations.has(number));
  const [firstMissing] = missingMigrations;
  if (!firstMissing) return;
  throw new UserError(
    `This database is older than this program: it lacks ${missingMigrations.length} of ${migrations.length} migrations, the first is ${firstMissing.name}. \`krapao migrate\` or the start of the server brings it up to date.`,
  );
}

/** Reads the migrations of a folder, in order. Refuses duplicate numbers and invalid file names. */
export function readMigrations(folder: string): Migration[] {
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => {
      const match = FILE_NAME.exec(name);
      if (!match) throw new UserError(`The migration ${name} is not named like 0001-words.sql.`);
      const sql = readFileSync(join(folder, name), 'utf8');
      const number = Number(match[1]);
      const oldestProgram = Number(OLDEST_PROGRAM_HEADER.exec(sql)?.[1] ?? number);
      if (oldestProgram > number) throw new UserError(`The migration ${name} names a later one as its oldest program.`);
      return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex'), oldestProgram };
    })
    .toSorted((a, b) => a.number - b.number);
  const duplicate = migrations.find((migration, index) => migration.number === migrations[index - 1]?.number);
  if (duplicate) throw new UserError(`Two migrations have the number of ${duplicate.name}.`);
  return migrations;
}

async function readApplied(tx: Tx): Promise<Map<number, AppliedMigration>> {
  await tx.query(`create table if not exists schema_migration (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`);
  // Not `if not exists`, which would lock the table against readers at each start.
  const { rows } = await tx.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'oldest_program'`,
  );
  if (rows.length === 0) await tx.query('alter table schema_migration add column oldest_program integer');
  return selectApplied(tx);
}

async function selectApplied(on: Queryable): Promise<Map<number, AppliedMigration>> {
  // Reads through JSON: a database that an older program has migrated lacks the column.
  const { rows } = await on.query<AppliedMigration>(
    `select number, name, sha256, (to_jsonb(m) ->> 'oldest_program')::int as "oldestProgram" from schema_migration m`,
  );
  return new Map(rows.map((row) => [row.number, row]));
}

function assertUnchanged(migrations: Migration[], appliedMigrations: Map<number, AppliedMigration>): void {
  assertNotSquashed(migrations, appliedMigrations);
  for (const migration of migrations) {
    const appliedMigration = appliedMigrations.get(migration.number);
    if (!appliedMigration || appliedMigration.sha256 === migration.sha256) continue;
    throw new UserError(
      `The migration ${migration.name} was changed after this database had applied it (as ${appliedMigration.name}). Put the old text back and write a new migration instead.`,
    );
  }
  const knownNumbers = new Set(migrations.map((migration) => migration.number));
  const newestNumber = migrations.at(-1)?.number ?? 0;
  for (const [number, { name, oldestProgram }] of appliedMigrations) {
    if (knownNumbers.has(number) || (oldestProgram !== null && oldestProgram <= newestNumber)) continue;
    throw new UserError(
      `This database is newer than this program: it has the migration ${name}. Start the newer program.`,
    );
  }
}

/** Numbers continue after a squash: a number below the first file belongs to the squashed history. */
function assertNotSquashed([first]: Migration[], appliedMigrations: Map<number, AppliedMigration>): void {
  const squashedMigration = [...appliedMigrations.values()].find(({ number }) => first && number < first.number);
  if (!squashedMigration) return;
  throw new UserError(
    `This database is from before the first release (it has the migration ${squashedMigration.name}) and can't be brought up to date: set DATA_DIR to a new folder, or DATABASE_URL to an empty database, and start again.`,
  );
}

async function applyMigration(tx: Tx, migration: Migration): Promise<void> {
  try {
    await tx.query(migration.sql);
  } catch (error) {
    throw new Error(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
  await tx.query('insert into schema_migration (number, name, sha256, oldest_program) values ($1, $2, $3, $4)', [
    migration.number,
    migration.name,
    migration.sha256,
    migration.oldestProgram,
  ]);
}
