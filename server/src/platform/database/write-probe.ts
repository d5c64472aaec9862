import pg from 'pg';
import { monotonicMs } from '../time.ts';
import { asUnavailable, DatabaseUnavailable } from './errors.ts';
import { destroy } from './watch.ts';
import { refreshingCache } from '../jobs/cache.ts';

export type WriteProbe = {
  /** Resolves when the database has just taken a write. @throws {DatabaseUnavailable} within 1.5 s */
  check(): Promise<void>;
  close(): void;
};

type Prepared = { client: pg.Client; write: () => Promise<unknown> };

const LIMIT_MS = 1_500;
/** Minimum interval between two writes, however often it is called. */
const FRESH_MS = 500;

const WRITE_ROW =
  'insert into health_probe (written_at) values (now()) on conflict (only_row) do update set written_at = now()';
// Updating a row finds room even on a full disk; a table that is emptied at each commit has to grow. $1: see prepare.
const WRITE_ROW_AND_GROW = `with grown as (
    insert into disk_probe select 1 from set_config('synchronous_commit', $1, true)
  ) ${WRITE_ROW}`;

/** Writes a little on a separate connection, so that neither an exhausted pool nor a silent network delays it. */
export function openWriteProbe(url: string): WriteProbe {
  let ready: Prepared | undefined;
  const probe = async (): Promise<void> => {
    const startedAt = monotonicMs();
    const wasKept = ready !== undefined;
    try {
      await attempt(LIMIT_MS);
    } catch (error) {
      // The loss of an old connection does not mean that the database is down now: callers get a new connection too.
      const leftMs = LIMIT_MS - (monotonicMs() - startedAt);
      const isLost = error instanceof DatabaseUnavailable && error.isLost;
      if (!wasKept || !isLost || leftMs <= 0) throw error;
      await attempt(leftMs);
    }
  };
  const attempt = async (limitMs: number): Promise<void> => {
    const client = ready?.client ?? newClient(url);
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      silence.reject(new DatabaseUnavailable(`no write within ${LIMIT_MS} ms`, { isLost: true }));
    }, limitMs);
    try {
      await Promise.race([silence.promise, writeOnce(client)]);
    } catch (error) {
      ready = undefined;
      destroy(client);
      throw asUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const writeOnce = async (client: pg.Client): Promise<void> => {
    ready ??= await prepare(client);
    await ready.write();
  };
  return {
    check: refreshingCache(probe, FRESH_MS),
    close: () => ready && destroy(ready.client),
  };
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMIT_MS,
    statement_timeout: LIMIT_MS,
    keepAlive: true,
    application_name: 'krapao-health',
  });
  // The next write fails and opens a new connection.
  client.on('error', () => {});
  return client;
}

async function prepare(client: pg.Client): Promise<Prepared> {
  await client.connect();
  const { rows } = await client.query<{ may: boolean; durability: string }>(
    `select has_database_privilege(current_database(), 'TEMP') as may, current_setting('synchronous_commit') as durability`,
  );
  if (rows[0]?.may !== true) return { client, write: () => client.query(WRITE_ROW) };
  const { durability } = rows[0];
  // A session drops its temporary table while it exits, and can't be cancelled then: had that to wait for a standby that is
  // gone, a primary could never shut down. Only the probe's own write waits.
  await client.query(`set synchronous_commit = ${durability === 'off' ? 'off' : 'local'}`);
  await client.query('create temporary table disk_probe (filler integer) on commit delete rows');
  return { client, write: () => client.query(WRITE_ROW_AND_GROW, [durability]) };
}
