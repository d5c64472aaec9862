import assert from 'node:assert/strict';
import pg from 'pg';
import type { ServerProcess } from '../harness/server-process.ts';
import type { System } from '../harness/system.ts';
import { waitUntil } from './qrcode/qr-fixtures.ts';

const END_SESSIONS_SQL = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'krapao-ledger' and datname = current_database()`;

/** Moments of a server's death during a ledger command, and whether the database commits its transaction. */
export const CRASH_MOMENTS = [
  { moment: 'before the commit of its credit', afterKill: END_SESSIONS_SQL },
  { moment: 'between the commit of its credit and the reply', afterKill: 'select' },
] as const;

/** Kills a server while its lane waits inside a command's transaction, after the rows and before the money. */
export async function killServerWhilePosting(
  system: Pick<System, 'database' | 'databaseUrl'>,
  server: ServerProcess,
  { moment, afterKill }: (typeof CRASH_MOMENTS)[number],
  beginCommand: () => Promise<unknown>,
): Promise<void> {
  const countSessions = async (waitType: 'Lock' | '%'): Promise<number> =>
    (
      await system.database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'krapao-ledger' and coalesce(wait_event_type, '') like $1`,
        [waitType],
      )
    ).rows[0]?.count ?? 0;
  const lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
  await lockingClient.query('begin');
  // Reads continue.
  await lockingClient.query('lock table ledger.entry in share mode');
  const pendingCommand = beginCommand().then(
    () => 'begun',
    () => 'lost',
  );
  await waitUntil(
    () => countSessions('Lock'),
    (count) => count > 0,
    moment,
  );
  await server.kill();
  assert.match(await pendingCommand, /^(begun|lost)$/);
  await lockingClient.query(afterKill);
  await lockingClient.query('rollback');
  await lockingClient.end();
  await waitUntil(
    () => countSessions('%'),
    (count) => count === 0,
    'sessions of the dead server',
  );
}
