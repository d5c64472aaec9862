import { UserError } from '../errors.ts';
import { type Job, type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { lockInstance } from '../jobs/leases.ts';
import type { Connection, Database } from './database.ts';
import { lockProgramVersion, MIGRATIONS, readMigrations } from './migrate.ts';

export type ProgramLock = {
  /** Resolves with an explanation when a newer program has made the schema incompatible. */
  outdated: Promise<string>;
  stop(): Promise<void>;
};

const CHECK_EVERY_MS = 1_000;

/**
 * Holds the program lock on a dedicated connection, and takes it again on a new one after a loss. Then it detects
 * migrations that ran while the connection was lost.
 * @throws {UserError} the schema is too new for this program
 */
export async function holdProgramLock(database: Database, log: JobLog): Promise<ProgramLock> {
  // Read once: an upgrade may replace the files while this program runs.
  const migrations = readMigrations(MIGRATIONS);
  const outdated = Promise.withResolvers<string>();
  let lockConnection: Connection | undefined;
  const acquireLock = async (): Promise<void> => {
    if (lockConnection) return;
    const connection = await database.connection();
    try {
      await lockProgramVersion(connection, migrations);
      await lockInstance(connection);
    } catch (error) {
      connection.release(error as Error);
      throw error;
    }
    lockConnection = connection;
    connection.onLost((error) => {
      if (lockConnection !== connection) return;
      lockConnection = undefined;
      connection.release(error);
    });
  };
  await acquireLock();
  const job: Job = startPeriodicJob({
    name: 'announce the program to migrations',
    everyMs: CHECK_EVERY_MS,
    log,
    run: async () => {
      try {
        await acquireLock();
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        outdated.resolve(error.message);
      }
    },
  });
  return {
    outdated: outdated.promise,
    async stop() {
      await job.stop();
      const connection = lockConnection;
      // Cleared first, so that the end of the connection isn't treated as a loss. Closed, because a pooled session
      // would keep the lock.
      lockConnection = undefined;
      connection?.release(new Error('the program stops'));
    },
  };
}
