import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { UserError } from '../errors.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';
import { type Database, openDatabase } from './database.ts';
import { launchEmbeddedPostgres } from './embedded-postgres/launch.ts';

export type RunningDatabase = {
  database: Database;
  url: string;
  /** Resolves with an explanation when an embedded database stops unexpectedly. */
  died: Promise<string>;
  stop(): Promise<void>;
};

const OLDEST_SERVER_VERSION = 150_000;
/** Connections that stay open between bursts: enough for the start of a burst, while the pool grows. */
const WARM_CONNECTIONS = 8;
/** Connections of a process outside its pool: ledger lanes, listeners, the probe. */
const CONNECTIONS_OUTSIDE_POOL = 20;
const OPERATOR_CONNECTIONS = 10;

/** File in the data folder while a restore into it is incomplete. */
export const INCOMPLETE_RESTORE = 'restore-incomplete';

/**
 * Starts the embedded PostgreSQL, or connects to the one of DATABASE_URL.
 * @param prepare runs before any other query: `migrate` or `assertMigrated`
 * @throws {UserError} a restore into the data folder was interrupted
 */
export async function connectDatabase(
  config: Config,
  prepare: (database: Database) => Promise<unknown>,
): Promise<RunningDatabase> {
  if (config.databaseUrl !== undefined) return connectTo(config.databaseUrl, config, prepare);
  assertRestored(config.dataDirectory);
  const postgres = await launchEmbeddedPostgres({
    directory: join(config.dataDirectory, 'postgres'),
    walArchive: config.walArchive,
    maxConnections:
      config.apiProcesses * (config.databaseConnections + CONNECTIONS_OUTSIDE_POOL) + OPERATOR_CONNECTIONS,
  });
  const database = openPool(postgres.url, config);
  const stop = async () => {
    await database.close();
    await postgres.stop();
  };
  try {
    await prepare(database);
    await database.warmUp();
  } catch (error) {
    await stop();
    throw error;
  }
  return { database, url: postgres.url, died: postgres.died, stop };
}

/** The database of an interrupted restore would start, without the commits that were asked for. */
function assertRestored(dataDirectory: string): void {
  if (!existsSync(join(dataDirectory, INCOMPLETE_RESTORE))) return;
  throw new UserError(
    `The restore into ${dataDirectory} is running or was interrupted: wait for it, or empty the folder and restore again (docs/deploy/backup.md).`,
  );
}

async function connectTo(
  url: string,
  config: Config,
  prepare: (database: Database) => Promise<unknown>,
): Promise<RunningDatabase> {
  const database = openPool(url, config);
  try {
    await assertVersion(database);
    await prepare(database);
    await database.warmUp();
  } catch (error) {
    await database.close();
    const explanation = explainDatabaseFailure(error);
    throw explanation ? new UserError(explanation, { cause: error }) : error;
  }
  return { database, url, died: new Promise(() => {}), stop: () => database.close() };
}

/** @throws {UserError} PostgreSQL is older than 15 */
export async function assertVersion(database: Database): Promise<void> {
  const { rows } = await database.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  const [serverVersion] = rows;
  if (serverVersion && serverVersion.number < OLDEST_SERVER_VERSION) {
    throw new UserError(`PostgreSQL at DATABASE_URL is ${serverVersion.name}; 15 or later is needed.`);
  }
}

function openPool(url: string, config: Config): Database {
  return openDatabase({
    url,
    // The program lock holds one more connection.
    size: config.databaseConnections + 1,
    kept: Math.min(WARM_CONNECTIONS, config.databaseConnections),
  });
}
