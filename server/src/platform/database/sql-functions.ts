import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import type { Tx } from './database.ts';

/** A file of functions, applied after the migration that it names. `name`: path below the folder. */
type FunctionFile = { name: string; migration: number; sql: string; sha256: string };
type AppliedFunctionFile = { name: string; migration: number; sha256: string };

/** First line of a file of functions. */
const MIGRATION_HEADER = /^-- migration: (\d{4})\n/;

/**
 * Reads the files of functions, in the order of their names.
 * @param folder contains a folder for each schema of the database; no files if it is missing
 * @param migrationNumbers migrations of the program
 * @throws {UserError} a file names no migration of the program
 */
export function readFunctionFiles(folder: string, migrationNumbers: ReadonlySet<number>): FunctionFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      const migration = Number(MIGRATION_HEADER.exec(sql)?.[1]);
      if (!migrationNumbers.has(migration)) {
        throw new UserError(`The first line of the functions ${name} is not \`-- migration: NNNN\` with a migration.`);
      }
      return { name, migration, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Replaces functions whose file has changed. Their migrations have checked the running programs already.
 * @throws {UserError} a file has changed, but still names the migration that it was applied with
 */
export async function applyFunctionFiles(tx: Tx, files: readonly FunctionFile[]): Promise<void> {
  if (files.length === 0) return;
  await tx.query(`create table if not exists schema_function (
    name text primary key,
    migration integer not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`);
  const { rows } = await tx.query<AppliedFunctionFile>('select name, migration, sha256 from schema_function');
  const appliedFiles = new Map(rows.map((row) => [row.name, row]));
  const changedFiles = files.filter(({ name, sha256 }) => appliedFiles.get(name)?.sha256 !== sha256);
  for (const file of changedFiles) assertMigrationIsNew(file, appliedFiles.get(file.name));
  // Functions may call those of later files, so their bodies are checked when all exist.
  for (const isChecked of ['off', 'on']) {
    await tx.query(`set local check_function_bodies = ${isChecked}`);
    for (const file of changedFiles) await createFunctions(tx, file);
  }
  for (const { name, migration, sha256 } of changedFiles) {
    await tx.query(
      `insert into schema_function (name, migration, sha256) values ($1, $2, $3)
       on conflict (name) do update
         set migration = excluded.migration, sha256 = excluded.sha256, applied_at = excluded.applied_at`,
      [name, migration, sha256],
    );
  }
}

function assertMigrationIsNew(file: FunctionFile, appliedFile: AppliedFunctionFile | undefined): void {
  if (!appliedFile || file.migration > appliedFile.migration) return;
  throw new UserError(
    `The functions ${file.name} were changed after this database had applied them. Put the old text back, or add a migration and name it in the first line.`,
  );
}

async function createFunctions(tx: Tx, { name, sql }: FunctionFile): Promise<void> {
  try {
    await tx.query(sql);
  } catch (error) {
    throw new Error(`The functions ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
