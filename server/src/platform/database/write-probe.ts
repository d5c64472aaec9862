import pg from 'pg';
import { refreshingCache } from '../jobs/cache.ts';
import { monotonicMs } from '../time.ts';
import { asUnavailable, DatabaseUnavailable } from './errors.ts';
import { destroy } from './watch.ts';

export type WriteProbe = {
  /** Resolves when the database has just committed a write. @throws {DatabaseUnavailable} within 1.5 s */
  check(): Promise<void>;
  close(): void;
};

type PreparedProbe = { client: pg.Client; write: () => Promise<unknown> };

const PROBE_TIMEOUT_MS = 1_500;
/** Minimum interval between two writes of the probe; calls in between reuse the result. */
const RESULT_FRESH_MS = 500;

const WRITE_ROW_SQL =
  'insert into health_probe (written_at) values (now()) on conflict (only_row) do update set written_at = now()';
// Updating a row succeeds even on a full disk; a table that is emptied at each commit has to grow. $1: see prepare.
const WRITE_AND_GROW_SQL = `with grown as (
    insert into disk_probe select 1 from set_config('synchronous_commit', $1, true)
  ) ${WRITE_ROW_SQL}`;

/**
 * Probes the database with a small write on a separate connection, which neither an exhausted pool nor a silent network
 * delays.
 */
export function openWriteProbe(url: string): WriteProbe {
  let prepared: PreparedProbe | undefined;
  const probe = async (): Promise<void> => {
    const startedAt = monotonicMs();
    const wasKept = prepared !== undefined;
    try {
      await attempt(PROBE_TIMEOUT_MS);
    } catch (error) {
      // Losing an old connection does not mean that the database is down. A second attempt uses a new connection, as
      // callers do.
      const remainingMs = PROBE_TIMEOUT_MS - (monotonicMs() - startedAt);
      const isLost = error instanceof DatabaseUnavailable && error.isLost;
      if (!wasKept || !isLost || remainingMs <= 0) throw error;
      await attempt(remainingMs);
    }
  };
  const attempt = async (limitMs: number): Promise<void> => {
    const client = prepared?.client ?? newClient(url);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      timeout.reject(new DatabaseUnavailable(`no write within ${PROBE_TIMEOUT_MS} ms`, { isLost: true }));
    }, limitMs);
    try {
      await Promise.race([timeout.promise, writeOnce(client)]);
    } catch (error) {
      prepared = undefined;
      destroy(client);
      throw asUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const writeOnce = async (client: pg.Client): Promise<void> => {
    prepared ??= await prepare(client);
    await prepared.write();
  };
  return {
    check: refreshingCache(probe, RESULT_FRESH_MS),
    close: () => prepared && destroy(prepared.client),
  };
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    statement_timeout: PROBE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'krapao-health',
  });
  // The next write fails and opens a new connection.
  client.on('error', () => {});
  return client;
}

async function prepare(client: pg.Client): Promise<PreparedProbe> {
  await client.connect();
  const { rows } = await client.query<{ may: boolean; durability: string }>(
    `select has_database_privilege(current_database(), 'TEMP') as may, current_setting('synchronous_commit') as durability`,
  );
  if (rows[0]?.may !== true) return { client, write: () => client.query(WRITE_ROW_SQL) };
  const { durability } = rows[0];
  // An exiting session drops its temporary table and can't be cancelled during that. If that commit waited for a lost
  // standby, the primary could never shut down. Only the probe's own write waits for the standby.
  await client.query(`set synchronous_commit = ${durability === 'off' ? 'off' : 'local'}`);
  await client.query('create temporary table disk_probe (filler integer) on commit delete rows');
  return { client, write: () => client.query(WRITE_AND_GROW_SQL, [durability]) };
}
