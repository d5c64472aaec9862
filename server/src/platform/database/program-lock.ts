import { type Job, type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { UserError } from '../errors.ts';
import type { Connection, Database } from './database.ts';
import { lockProgramVersion, MIGRATIONS, readMigrations } from './migrate.ts';

export type ProgramLock = {
  /** Resolves with a sentence when a newer program has migrated the database past this one. */
  outdated: Promise<string>;
  stop(): Promise<void>;
};

const LOOK_EVERY_MS = 1_000;

/**
 * Keeps this program known to migrations on a connection of its own, a new one after each loss. What was migrated while
 * the database was away is noticed then.
 * @throws {UserError} the database was migrated past this program
 */
export async function holdProgramLock(database: Database, log: JobLog): Promise<ProgramLock> {
  // Read once: an upgrade may replace the files while this program runs.
  const migrations = readMigrations(MIGRATIONS);
  const outdated = Promise.withResolvers<string>();
  let held: Connection | undefined;
  const announce = async (): Promise<void> => {
    if (held) return;
    const connection = await database.connection();
    try {
      await lockProgramVersion(connection, migrations);
    } catch (error) {
      connection.release(error as Error);
      throw error;
    }
    held = connection;
    connection.onLost((error) => {
      if (held !== connection) return;
      held = undefined;
      connection.release(error);
    });
  };
  await announce();
  const job: Job = startPeriodicJob({
    name: 'announce the program to migrations',
    everyMs: LOOK_EVERY_MS,
    log,
    run: async () => {
      try {
        await announce();
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
      const connection = held;
      // Cleared first, so that its end isn't treated as a loss. Closed, because a pooled session would keep the lock.
      held = undefined;
      connection?.release(new Error('the program stops'));
    },
  };
}
