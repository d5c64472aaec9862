// `npm run audit`: checks the books against themselves and prints one line per check. Ends with 1 when a check finds
// something. Reads the database of DATABASE_URL, or the one in the data folder, whether the server runs or not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from '../ledger/module.ts';
import { CannotStart } from '../platform/cannot-start.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { connectDatabase } from '../platform/connect-database.ts';
import { type Database, openDatabase } from '../platform/database.ts';
import { SUPERUSER } from '../platform/embedded-postgres/data-directory.ts';
import { isRunning, readPidFile } from '../platform/embedded-postgres/postmaster.ts';

const EMBEDDED_DATABASE = 'krapao';
// PostgreSQL writes the folder of its socket there.
const SOCKET_LINE = 4;

try {
  const { database, stop } = await open(readConfig());
  try {
    process.exitCode = await report(database);
  } finally {
    await stop();
  }
} catch (error) {
  process.stderr.write(`${error instanceof CannotStart ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
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

async function report(database: Database): Promise<number> {
  const audits = await audit(database);
  for (const { name, violations } of audits) {
    process.stdout.write(`${violations === 0 ? 'right' : `WRONG: ${violations}`.padEnd(5)}  ${name}\n`);
  }
  const wrong = audits.filter(({ violations }) => violations > 0).length;
  process.stdout.write(`${audits.length} checks, ${wrong} wrong\n`);
  return wrong === 0 ? 0 : 1;
}
