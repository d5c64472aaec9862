import { join } from 'node:path';
import { UserError } from '../errors.ts';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from './database.ts';
import { launchEmbeddedPostgres } from './embedded-postgres/launch.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';

export type RunningDatabase = {
  database: Database;
  url: string;
  /** Resolves with a sentence when an embedded database stops unexpectedly. */
  died: Promise<string>;
  stop(): Promise<void>;
};

const OLDEST_VERSION = 150_000;
/** Connections that stay open between bursts: as many as serve the start of a burst while the pool grows. */
const KEPT_CONNECTIONS = 8;
/** What a process keeps open beside its pool: lanes of the ledger, listeners, the probe. */
const CONNECTIONS_BESIDE = 20;
const CONNECTIONS_OF_OPERATORS = 10;

/**
 * Starts the embedded PostgreSQL, or connects to the one of DATABASE_URL.
 * @param prepare runs before anything else: `migrate`, or `assertMigrated`
 */
export async function connectDatabase(
  config: Config,
  prepare: (database: Database) => Promise<unknown>,
): Promise<RunningDatabase> {
  if (config.databaseUrl !== undefined) return connectTo(config.databaseUrl, config, prepare);
  const postgres = await launchEmbeddedPostgres({
    directory: join(config.dataDirectory, 'postgres'),
    walArchive: config.walArchive,
    maxConnections: config.apiProcesses * (config.databaseConnections + CONNECTIONS_BESIDE) + CONNECTIONS_OF_OPERATORS,
  });
  const database = open(postgres.url, config);
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

async function connectTo(
  url: string,
  config: Config,
  prepare: (database: Database) => Promise<unknown>,
): Promise<RunningDatabase> {
  const database = open(url, config);
  try {
    await assertVersion(database);
    await prepare(database);
    await database.warmUp();
  } catch (error) {
    await database.close();
    const sentence = explainDatabaseFailure(error);
    throw sentence ? new UserError(sentence, { cause: error }) : error;
  }
  return { database, url, died: new Promise(() => {}), stop: () => database.close() };
}

async function assertVersion(database: Database): Promise<void> {
  const { rows } = await database.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  const [found] = rows;
  if (found && found.number < OLDEST_VERSION) {
    throw new UserError(`PostgreSQL at DATABASE_URL is ${found.name}; 15 or later is needed.`);
  }
}

function open(url: string, config: Config): Database {
  return openDatabase({
    url,
    // One more is held by the running program, for migrations to see.
    size: config.databaseConnections + 1,
    kept: Math.min(KEPT_CONNECTIONS, config.databaseConnections),
  });
}
