import type { Queryable } from '../../src/platform/database/database.ts';

const LOCK_WAIT_SQL = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** How many sessions of the database wait for a lock now. */
export async function countLockWaits(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(`select ${LOCK_WAIT_SQL}`);
  return rowCount;
}

/** Terminates the sessions that wait for a lock, so that their statements are never executed. */
export async function terminateLockWaits(database: Queryable): Promise<void> {
  await database.query(`select pg_terminate_backend(pid) ${LOCK_WAIT_SQL}`);
}
