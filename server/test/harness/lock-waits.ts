import type { Queryable } from '../../src/platform/database/database.ts';

const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** How many sessions of the database wait for a lock now. */
export async function lockWaits(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(`select ${WAITING}`);
  return rowCount;
}

/** Ends the sessions that wait for a lock, so that their statements are not carried out once it is free. */
export async function endLockWaits(database: Queryable): Promise<void> {
  await database.query(`select pg_terminate_backend(pid) ${WAITING}`);
}
