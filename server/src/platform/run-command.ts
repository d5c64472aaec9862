import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { type Config, readConfig } from './config.ts';
import { connectDatabase } from './connect-database.ts';
import { type Database, openDatabase } from './database.ts';
import { SUPERUSER } from './embedded-postgres/data-directory.ts';
import { isRunning, readPidFile } from './embedded-postgres/postmaster.ts';

const EMBEDDED_DATABASE = 'krapao';
// PostgreSQL writes the folder of its socket there.
const SOCKET_LINE = 4;

/**
 * Runs an operator's command on the database of DATABASE_URL, or on the one in the data folder, whether the server runs or
 * not. The status that it answers is the process's; a reason that a person can cure is shown alone, without a stack.
 */
export async function runCommand(command: (database: Database, config: Config) => Promise<number>): Promise<void> {
  try {
    const config = readConfig();
    const { database, stop } = await open(config);
    try {
      process.exitCode = await command(database, config);
    } finally {
      await stop();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof CannotStart ? error.message : String((error as Error).stack)}\n`);
    process.exitCode = 1;
  }
}

async function open(config: Config): Promise<{ database: Database; stop: () => Promise<void> }> {
  const url = config.databaseUrl === undefined ? addressOfRunning(config.dataDirectory) : undefined;
  if (!url) return connectDatabase(config);
  const database = openDatabase({ url, size: 1 });
  return { database, stop: () => database.close() };
}

/** The embedded database that a running server holds; undefined when none runs. */
function addressOfRunning(dataDirectory: string): string | undefined {
  const directory = join(dataDirectory, 'postgres');
  const found = readPidFile(directory);
  if (found?.state !== 'ready' || !isRunning(found.pid)) return undefined;
  const socket = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE];
  return socket ? `postgresql://${SUPERUSER}@${encodeURIComponent(socket)}:5432/${EMBEDDED_DATABASE}` : undefined;
}
