import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { UserError } from '../errors.ts';
import { sqlState, type Database, type Queryable, type Tx } from './database.ts';
import { sleep } from '../time.ts';

/**
 * A file of the folder. A program is identified by its newest migration: `oldestProgram` is the oldest program that
 * works on the schema after this migration; its own number unless the file declares an earlier one.
 */
type Migration = { number: number; name: string; sql: string; sha256: string; oldestProgram: number };
/** `oldestProgram` is null where the migration was applied before there were declarations. */
type Applied = { number: number; name: string; sha256: string; oldestProgram: number | null };

/** The folder of the migrations of this server. */
export const MIGRATIONS = join(import.meta.dirname, '../../../migrations');

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
/** First line of a migration that is compatible with older programs: the newest migration of the oldest of them. */
const OLDEST_PROGRAM = /^-- oldest program: (\d{4})\n/;
// Any fixed number: an advisory lock, so that concurrent migrations of this database run one after the other.
const LOCK = 7_245_101;
// Any fixed number: the first of the two keys of the advisory locks of running programs; the second is their newest migration.
const PROGRAM_LOCK_CLASS = 7_245_102;
/** Nodes that serve never queue longer than this behind a migration that waits for a table. */
const LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';
const ATTEMPTS_MAX = 30;
const PAUSE_MS = 500;

/**
 * Migrates the database to the newest schema: applies missing migrations by number in one transaction. Servers that
 * start concurrently wait for each other. Refuses a changed file, a database whose migrations were squashed since, and
 * a migration that is incompatible with a running program.
 * @throws {UserError} the database can't be migrated to the schema of this program
 * @returns names of the migrations applied now
 */
export async function migrate(database: Database, folder: string = MIGRATIONS): Promise<string[]> {
  const migrations = readMigrations(folder);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.tx((tx) => applyMissing(tx, migrations));
    } catch (error) {
      if (sqlState((error as Error).cause ?? error) !== LOCK_NOT_AVAILABLE || attempt >= ATTEMPTS_MAX) throw error;
      // A long statement holds a table: let through what queued behind this migration.
      await sleep(PAUSE_MS);
    }
  }
}

async function applyMissing(tx: Tx, migrations: Migration[]): Promise<string[]> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  // A migration of a big table may take longer than the statement timeout.
  await tx.query('set local statement_timeout = 0');
  await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  const applied = await readApplied(tx);
  assertUnchanged(migrations, applied);
  const missing = migrations.filter((migration) => !applied.has(migration.number));
  if (missing.length > 0) await assertNoneTooOld(tx, missing);
  for (const migration of missing) await apply(tx, migration);
  return missing.map((migration) => migration.name);
}

/**
 * Makes a running program known to later migrations, as long as the session of `on` is open, and checks that it can go
 * on with the schema as it is.
 * @param migrations its migrations, as they were when it started
 * @throws {UserError} the database was migrated past this program
 */
export async function lockProgramVersion(on: Queryable, migrations = readMigrations(MIGRATIONS)): Promise<void> {
  await on.query('select pg_advisory_lock_shared($1, $2)', [PROGRAM_LOCK_CLASS, migrations.at(-1)?.number ?? 0]);
  // A running migration counted the programs before this one registered: waits for its outcome.
  await on.query('select pg_advisory_lock_shared($1)', [LOCK]);
  await on.query('select pg_advisory_unlock_shared($1)', [LOCK]);
  assertUnchanged(migrations, await selectApplied(on));
}

/** Running programs of this database: `newest` is the newest migration of the oldest of them. */
const RUNNING_PROGRAMS = `select min(objid::bigint)::int as newest from pg_locks
  where locktype = 'advisory' and classid = ${PROGRAM_LOCK_CLASS} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Until the session of `on` ends no server starts on its database, nor is it migrated.
 * @param what the database, for a person
 * @throws {UserError} a server runs on it
 */
export async function lockOutServers(on: pg.ClientBase, what: string): Promise<void> {
  await on.query('select pg_advisory_lock($1)', [LOCK]);
  await assertNoProgram(on, what);
}

/** @throws {UserError} a server runs on the target of a copy, another session migrates it, or it is the source itself */
export async function assertUnlocked(target: pg.ClientBase): Promise<void> {
  const { rows } = await target.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [LOCK]);
  if (!rows[0]?.is) {
    throw new UserError('The target is the database that is copied, or is being migrated. Nothing was changed.');
  }
  await assertNoProgram(target, 'the target');
  await target.query('select pg_advisory_unlock($1)', [LOCK]);
}

async function assertNoProgram(on: pg.ClientBase, what: string): Promise<void> {
  const { rows } = await on.query<{ newest: number | null }>(RUNNING_PROGRAMS);
  if ((rows[0]?.newest ?? null) === null) return;
  throw new UserError(`A server runs on ${what}: stop it first. Nothing was changed.`);
}

async function assertNoneTooOld(tx: Tx, missing: Migration[]): Promise<void> {
  const { rows } = await tx.query<{ newest: number | null }>(RUNNING_PROGRAMS);
  const running = rows[0]?.newest ?? undefined;
  const refused = missing.find(({ oldestProgram }) => running !== undefined && running < oldestProgram);
  if (!refused) return;
  throw new UserError(
    `The migration ${refused.name} needs every program on this database to have the migration ${fourDigits(refused.oldestProgram)}, but a server with ${fourDigits(running ?? 0)} as its newest still runs: stop or upgrade it first.`,
  );
}

const fourDigits = (number: number): string => String(number).padStart(4, '0');

/**
 * Refuses a database with an incompatible schema, without changing it.
 * @throws {UserError} it is empty, older, incompatibly newer, or from before the first migration
 */
export async function assertMigrated(database: Database, folder: string = MIGRATIONS): Promise<void> {
  const migrations = readMigrations(folder);
  const { rows } = await database.query<{ table: string | null }>(
    `select to_regclass('schema_migration')::text as table`,
  );
  if (!rows[0]?.table)
    throw new UserError(`This database is empty: \`npm start\` or \`npm run krapao -- migrate\` sets it up.`);
  const applied = await selectApplied(database);
  assertUnchanged(migrations, applied);
  const missing = migrations.filter(({ number }) => !applied.has(number));
  const [first] = missing;
  if (!first) return;
  throw new UserError(
    `This database is older than this program: it lacks ${missing.length} of ${migrations.length} migrations, the first is ${first.name}. \`npm start\` or \`npm run krapao -- migrate\` brings it up to date.`,
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
      if (!match) throw new UserError(`The migration ${name} is not named like 0001-words.sql.`);
      const sql = readFileSync(join(folder, name), 'utf8');
      const number = Number(match[1]);
      const oldestProgram = Number(OLDEST_PROGRAM.exec(sql)?.[1] ?? number);
      if (oldestProgram > number) throw new UserError(`The migration ${name} names a later one as its oldest program.`);
      return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex'), oldestProgram };
    })
    .toSorted((a, b) => a.number - b.number);
  const twin = migrations.find((migration, index) => migration.number === migrations[index - 1]?.number);
  if (twin) throw new UserError(`Two migrations have the number of ${twin.name}.`);
  return migrations;
}

async function readApplied(tx: Tx): Promise<Map<number, Applied>> {
  await tx.query(`create table if not exists schema_migration (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`);
  // Not `if not exists`, which would lock the table against its readers at each start.
  const { rows } = await tx.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'oldest_program'`,
  );
  if (rows.length === 0) await tx.query('alter table schema_migration add column oldest_program integer');
  return selectApplied(tx);
}

async function selectApplied(on: Queryable): Promise<Map<number, Applied>> {
  // Through JSON: a database that an older program has migrated lacks the column.
  const { rows } = await on.query<Applied>(
    `select number, name, sha256, (to_jsonb(m) ->> 'oldest_program')::int as "oldestProgram" from schema_migration m`,
  );
  return new Map(rows.map((row) => [row.number, row]));
}

function assertUnchanged(migrations: Migration[], applied: Map<number, Applied>): void {
  assertNotSquashed(migrations, applied);
  for (const migration of migrations) {
    const before = applied.get(migration.number);
    if (!before || before.sha256 === migration.sha256) continue;
    throw new UserError(
      `The migration ${migration.name} was changed after this database had applied it (as ${before.name}). Put the old text back and write a new migration instead.`,
    );
  }
  const known = new Set(migrations.map((migration) => migration.number));
  const newest = migrations.at(-1)?.number ?? 0;
  for (const [number, { name, oldestProgram }] of applied) {
    if (known.has(number) || (oldestProgram !== null && oldestProgram <= newest)) continue;
    throw new UserError(
      `This database is newer than this program: it has the migration ${name}. Start the newer program.`,
    );
  }
}

/** Numbers continue after a squash: a lower number than the first one belongs to the squashed history. */
function assertNotSquashed([first]: Migration[], applied: Map<number, Applied>): void {
  const squashed = [...applied.values()].find(({ number }) => first && number < first.number);
  if (!squashed) return;
  throw new UserError(
    `This database is from before the first release (it has the migration ${squashed.name}) and can't be brought up to date: set DATA_DIR to a new folder, or DATABASE_URL to an empty database, and start again.`,
  );
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
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
