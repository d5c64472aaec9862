import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { assertVersion, connectDatabase } from '../platform/database/connect.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { socketAddress } from '../platform/database/embedded-postgres/launch.ts';
import { isPostmasterOf, readPidFile } from '../platform/database/embedded-postgres/process.ts';
import { assertMigrated } from '../platform/database/migrate.ts';
import { UserError } from '../platform/errors.ts';
import { sleep } from '../platform/time.ts';
import { explainedLoss } from './explain-failure.ts';

export const EMBEDDED_DATABASE = 'krapao';
// Index of the line of postmaster.pid with the folder of the socket.
const SOCKET_LINE = 4;
/** Wait for an embedded database that another process starts. */
const START_TIMEOUT_MS = 10_000;
const POLL_MS = 100;
/** A command reads at most four lists concurrently. */
const CONNECTIONS = 4;

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

/** A lost or frozen connection is noticed by this; a statement may take 30 s. */
const REPLY_TIMEOUT_MS = 40_000;

type DatabaseCommandOptions = {
  /** Refuses a database with an incompatible schema, unless it migrates. */
  prepare?: (database: Database) => Promise<unknown>;
  /** Whether single statements may take longer than 30 s. */
  isLong?: boolean;
  /** Maximum duration of a statement, 30 s unless set. */
  statementTimeoutMs?: number;
};

/**
 * Creates a command on the database of DATABASE_URL, or on the one in the data folder, whether or not the server runs.
 * @throws {UserError} the database is lost, silent or refuses
 */
export function withDatabase(
  command: (args: string[], context: DatabaseContext) => Promise<number>,
  options: DatabaseCommandOptions = {},
): Command {
  return async (args, io) => {
    const config = readConfig(io.environment);
    try {
      const { database, url, stop } = await openCommandDatabase(config, options);
      try {
        return await command([...args], { ...io, database, config, url });
      } finally {
        await stop();
      }
    } catch (error) {
      throw explainedLoss(error, config);
    }
  };
}

/** Opens the database of a command. Starts the embedded one unless a server runs; `stop` reverses that. */
export async function openCommandDatabase(
  config: Config,
  { prepare = assertMigrated, isLong = false, statementTimeoutMs }: DatabaseCommandOptions = {},
): Promise<{ database: Database; url: string; stop: () => Promise<void> }> {
  const url = config.databaseUrl ?? (await findRunningUrl(config.dataDirectory));
  if (url === undefined) {
    assertDatabaseExists(config, prepare);
    return connectDatabase(config, prepare);
  }
  const database = openDatabase({
    url,
    size: CONNECTIONS,
    ...(!isLong && { replyTimeoutMs: REPLY_TIMEOUT_MS }),
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
  });
  const stop = () => database.close();
  try {
    if (config.databaseUrl !== undefined) await assertVersion(database);
    await prepare(database);
  } catch (error) {
    await stop();
    throw explainedLoss(error, config);
  }
  return { database, url, stop };
}

/** A read-only command must not create a database where there is none. */
function assertDatabaseExists({ dataDirectory }: Config, prepare: unknown): void {
  if (prepare !== assertMigrated) return;
  if (existsSync(join(dataDirectory, 'postgres', 'PG_VERSION'))) return;
  throw new UserError(
    `There is no database in ${dataDirectory}: set DATA_DIR or DATABASE_URL, or start the server, which makes one.`,
  );
}

/** URL of the embedded database of a running server; undefined when none runs. Waits for one that starts. */
async function findRunningUrl(dataDirectory: string): Promise<string | undefined> {
  const directory = resolve(dataDirectory, 'postgres');
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const pidFile = readPidFile(directory);
    if (pidFile === undefined || !isPostmasterOf(pidFile.pid, directory)) return undefined;
    if (pidFile.state === 'ready') break;
    // It will have ended when it is started again.
    if (pidFile.state === 'stopping') return undefined;
    if (waitedMs >= START_TIMEOUT_MS) {
      throw new UserError(
        `The database in ${dataDirectory} is not ready: its process ${pidFile.pid} is ${pidFile.state || 'starting'}. Its log is ${directory}.log.`,
      );
    }
    await sleep(POLL_MS);
  }
  const socket = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE];
  return socket ? socketAddress(socket, EMBEDDED_DATABASE) : undefined;
}

/** Explains a failed write to a path that the operator named; any other error is returned unchanged. */
export function asWriteError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const cause = code === 'ENOSPC' ? 'its disk is full' : String(code);
  return new UserError(`${path} can't be written (${cause}): name another place, or repair this one.`);
}
