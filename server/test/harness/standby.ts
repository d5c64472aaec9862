import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';

/**
 * A copy of a running PostgreSQL that follows it, as `pg_basebackup` makes one; it is started like any other.
 * @param through address of a line to the primary, instead of its own
 */
export async function makeStandby(
  primary: EmbeddedPostgres,
  from: string,
  to: string,
  through?: string,
): Promise<void> {
  await onServer(primary.url, async (client) => {
    await client.query(`select pg_backup_start('standby', true)`);
    // With its owner, who may be another one than of this process.
    execFileSync('cp', ['-a', from, to]);
    rmSync(join(to, 'postmaster.pid'));
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  const { hostname, port } = new URL(through ?? primary.url);
  const place = `host=${decodeURIComponent(hostname)} port=${port || '5432'} sslmode=disable gssencmode=disable`;
  appendFileSync(
    join(to, 'postgresql.auto.conf'),
    `primary_conninfo = '${place} user=krapao application_name=standby'\n`,
  );
  writeFileSync(join(to, 'standby.signal'), '');
}

/** From now on a commit waits for the standby of `makeStandby`. Resolves once it has all that was committed before. */
export async function commitOnBoth(primary: EmbeddedPostgres): Promise<void> {
  await onServer(primary.url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = 'standby'`);
    await client.query('select pg_reload_conf()');
    for (;;) {
      const { rows } = await client.query<{ state: string }>('select sync_state as state from pg_stat_replication');
      if (rows.some(({ state }) => state === 'sync')) break;
    }
    // A commit that was answered is on both.
    await client.query('create table public.on_both ()');
    await client.query('drop table public.on_both');
  });
}

/** Makes a standby the primary; sessions that it has stay open. */
export const promote = (standby: EmbeddedPostgres): Promise<void> =>
  onServer(standby.url, async (client) => void (await client.query('select pg_promote()')));

export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A server that dies ends the query too.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
