import type { Queryable } from '../../src/platform/database/database.ts';

/** How many sessions of the database wait for a lock now. */
export async function lockWaits(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount;
}
