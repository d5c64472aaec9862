import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { type Config, readConfig } from '../config.ts';
import { connectDatabase } from '../database/connect-database.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { SUPERUSER } from '../database/embedded-postgres/data-directory.ts';
import { isRunning, readPidFile } from '../database/embedded-postgres/postmaster.ts';
import { assertMigrated } from '../database/migrate.ts';

const EMBEDDED_DATABASE = 'krapao';
// The line where PostgreSQL writes the folder of its socket.
const SOCKET_LINE = 4;

/**
 * Runs an operator's command on the database of DATABASE_URL, or on the one in the data folder, whether the server runs
 * or not. A database with another schema than this program's is refused unless `prepare` migrates it. The returned
 * status is the exit status of the process; an error that a person can fix is shown alone, without a stack.
 */
export async function runCommand(
  command: (database: Database, config: Config, url: string) => Promise<number>,
  prepare: (database: Database) => Promise<unknown> = assertMigrated,
): Promise<void> {
  try {
    const config = readConfig();
    const { database, url, stop } = await openCommandDatabase(config, prepare);
    try {
      process.exitCode = await command(database, config, url);
    } finally {
      await stop();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof CannotStart ? error.message : String((error as Error).stack)}\n`);
    process.exitCode = 1;
  }
}

/** The database of a command. The embedded one is started unless a server runs; `stop` undoes that. */
export async function openCommandDatabase(
  config: Config,
  prepare: (database: Database) => Promise<unknown> = assertMigrated,
): Promise<{ database: Database; url: string; stop: () => Promise<void> }> {
  const url = config.databaseUrl === undefined ? addressOfRunning(config.dataDirectory) : undefined;
  if (!url) {
    assertThere(config, prepare);
    return connectDatabase(config, prepare);
  }
  const database = openDatabase({ url, size: 1 });
  const stop = () => database.close();
  try {
    await prepare(database);
  } catch (error) {
    await stop();
    throw error;
  }
  return { database, url, stop };
}

/** A read-only command must not create a database where there is none. */
function assertThere({ databaseUrl, dataDirectory }: Config, prepare: unknown): void {
  if (databaseUrl !== undefined || prepare !== assertMigrated) return;
  if (existsSync(join(dataDirectory, 'postgres', 'PG_VERSION'))) return;
  throw new CannotStart(
    `There is no database in ${dataDirectory}: set DATA_DIR or DATABASE_URL, or run \`npm start\` first, which makes one.`,
  );
}

/** The embedded database that a running server holds; undefined when none runs. */
function addressOfRunning(dataDirectory: string): string | undefined {
  const directory = join(dataDirectory, 'postgres');
  const found = readPidFile(directory);
  if (found?.state !== 'ready' || !isRunning(found.pid)) return undefined;
  const socket = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE];
  return socket ? `postgresql://${SUPERUSER}@${encodeURIComponent(socket)}:5432/${EMBEDDED_DATABASE}` : undefined;
}
