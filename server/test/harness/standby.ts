import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';

/**
 * Creates a standby of a running PostgreSQL, like `pg_basebackup`; it is started like any other.
 * @param proxyUrl address of a proxy to the primary, instead of its own
 */
export async function makeStandby(
  primary: EmbeddedPostgres,
  from: string,
  to: string,
  proxyUrl?: string,
): Promise<void> {
  await withServerClient(primary.url, async (client) => {
    await client.query(`select pg_backup_start('standby', true)`);
    // Keeps the files' owner, who may differ from this process's user.
    execFileSync('cp', ['-a', from, to]);
    rmSync(join(to, 'postmaster.pid'));
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  const { hostname, port } = new URL(proxyUrl ?? primary.url);
  const connectionInfo = `host=${decodeURIComponent(hostname)} port=${port || '5432'} sslmode=disable gssencmode=disable`;
  appendFileSync(
    join(to, 'postgresql.auto.conf'),
    `primary_conninfo = '${connectionInfo} user=krapao application_name=standby'\n`,
  );
  writeFileSync(join(to, 'standby.signal'), '');
}

/** From now on commits wait for the standby of `makeStandby`. Resolves once the standby has all earlier commits. */
export async function waitForStandbyOnCommit(primary: EmbeddedPostgres): Promise<void> {
  await withServerClient(primary.url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = 'standby'`);
    await client.query('select pg_reload_conf()');
    for (;;) {
      const { rows } = await client.query<{ state: string }>('select sync_state as state from pg_stat_replication');
      if (rows.some(({ state }) => state === 'sync')) break;
    }
    // An acknowledged commit is on both servers.
    await client.query('create table public.on_both ()');
    await client.query('drop table public.on_both');
  });
}

/** Makes a standby the primary; its sessions stay open. */
export const promoteStandby = (standby: EmbeddedPostgres): Promise<void> =>
  withServerClient(standby.url, async (client) => void (await client.query('select pg_promote()')));

export async function withServerClient<T>(url: string, useClient: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A dying server ends the query with an error too.
  client.on('error', () => {});
  await client.connect();
  try {
    return await useClient(client);
  } finally {
    await client.end();
  }
}
