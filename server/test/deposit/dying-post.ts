import assert from 'node:assert/strict';
import pg from 'pg';
import type { ServerProcess } from '../harness/server-process.ts';
import type { System } from '../harness/system.ts';
import { until } from './qrcode/qr-fixtures.ts';

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'krapao-ledger' and datname = current_database()`;

/** When a server dies during a ledger command, and what the database does with its transaction. */
export const POST_MOMENTS = [
  { moment: 'before the commit of its credit', afterKill: END_SESSIONS },
  { moment: 'between the commit of its credit and the reply', afterKill: 'select' },
] as const;

/** Kills a server whose lane waits inside a command's transaction, after its rows and before its money. */
export async function dieWhilePosting(
  system: Pick<System, 'database' | 'databaseUrl'>,
  server: ServerProcess,
  { moment, afterKill }: (typeof POST_MOMENTS)[number],
  begin: () => Promise<unknown>,
): Promise<void> {
  const sessions = async (waiting: 'Lock' | '%'): Promise<number> =>
    (
      await system.database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'krapao-ledger' and coalesce(wait_event_type, '') like $1`,
        [waiting],
      )
    ).rows[0]?.count ?? 0;
  const locker = new pg.Client({ connectionString: system.databaseUrl });
  await locker.connect();
  await locker.query('begin');
  // Reads continue.
  await locker.query('lock table ledger.entry in share mode');
  const begun = begin().then(
    () => 'begun',
    () => 'lost',
  );
  await until(
    () => sessions('Lock'),
    (count) => count > 0,
    moment,
  );
  await server.kill();
  assert.match(await begun, /^(begun|lost)$/);
  await locker.query(afterKill);
  await locker.query('rollback');
  await locker.end();
  await until(
    () => sessions('%'),
    (count) => count === 0,
    'sessions of the dead server',
  );
}
