import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../platform/errors.ts';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { connectDatabase } from '../platform/database/connect.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { SUPERUSER } from '../platform/database/embedded-postgres/data-directory.ts';
import { isRunning, readPidFile } from '../platform/database/embedded-postgres/process.ts';
import { assertMigrated } from '../platform/database/migrate.ts';
import { parseArgs } from 'node:util';

const EMBEDDED_DATABASE = 'krapao';
// Index of the line of postmaster.pid with the folder of the socket.
const SOCKET_LINE = 4;

/** The process interface of a command. Tests replace it. */
export type Io = {
  environment: Environment;
  /** Whether standard output is a terminal. */
  isTerminal: boolean;
  /** Writes to standard output. */
  print: (text: string) => void;
  /** Writes to standard error. */
  printError: (text: string) => void;
};

/** An operator command. @returns its exit status. @throws {UserError} a failure that is shown without a stack */
export type Command = (args: readonly string[], io: Io) => Promise<number>;

export type DatabaseContext = Io & { database: Database; config: Config; url: string };

/**
 * Creates a command on the database of DATABASE_URL, or on the one in the data folder, whether or not the server runs.
 * @param prepare refuses a database with an incompatible schema, unless it migrates
 */
export function withDatabase(
  command: (args: string[], context: DatabaseContext) => Promise<number>,
  prepare: (database: Database) => Promise<unknown> = assertMigrated,
): Command {
  return async (args, io) => {
    const config = readConfig(io.environment);
    const { database, url, stop } = await openCommandDatabase(config, prepare);
    try {
      return await command([...args], { ...io, database, config, url });
    } finally {
      await stop();
    }
  };
}

/** Opens the database of a command. Starts the embedded one unless a server runs; `stop` reverses that. */
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
  throw new UserError(
    `There is no database in ${dataDirectory}: set DATA_DIR or DATABASE_URL, or start the server, which makes one.`,
  );
}

/** URL of the embedded database of a running server; undefined when none runs. */
function addressOfRunning(dataDirectory: string): string | undefined {
  const directory = join(dataDirectory, 'postgres');
  const pidFile = readPidFile(directory);
  if (pidFile?.state !== 'ready' || !isRunning(pidFile.pid)) return undefined;
  const socket = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE];
  return socket ? `postgresql://${SUPERUSER}@${encodeURIComponent(socket)}:5432/${EMBEDDED_DATABASE}` : undefined;
}

/**
 * The arguments of a command without options.
 * @param least minimum number of arguments
 * @throws {UserError} with `usage`: too few, too many, or an option
 */
export function positionalArgs(
  args: readonly string[],
  [minimum, maximum]: readonly [number, number],
  usage: string,
): string[] {
  if (args.length < minimum || args.length > maximum || args.some((arg) => arg.startsWith('-'))) {
    throw new UserError(usage);
  }
  return [...args];
}

/** Explains a failed write to a path that the operator named; any other error is returned unchanged. */
export function asWriteError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const cause = code === 'ENOSPC' ? 'its disk is full' : String(code);
  return new UserError(`${path} can't be written (${cause}): name another place, or mend this one.`);
}

/** The file of `--metrics FILE`, the only option of a command that a timer runs. @throws {UserError} */
export function metricsFileOption(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { metrics: { type: 'string' } } }).values.metrics;
  } catch (error) {
    throw new UserError(`${(error as Error).message} There is one option: --metrics FILE.`);
  }
}
