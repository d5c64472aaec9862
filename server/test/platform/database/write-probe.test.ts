import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { launchEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres/launch.ts';
import { openWriteProbe } from '../../../src/platform/database/write-probe.ts';

const PROBE_SESSIONS_SQL = `from pg_stat_activity where application_name = 'krapao-health'`;

test('a primary without its synchronous standby refuses the write probe and still ends its session', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-write-probe-'));
  const postgres = await launchEmbeddedPostgres({ directory: join(folder, 'postgres'), maxConnections: 20 });
  const operator = new pg.Client({ connectionString: postgres.url });
  const writeProbe = openWriteProbe(postgres.url);
  const second = openWriteProbe(postgres.url);
  try {
    await operator.connect();
    await operator.query(
      'create table health_probe (only_row boolean primary key default true, written_at timestamptz not null)',
    );
    await writeProbe.check();
    await operator.query(`alter system set synchronous_standby_names = 'absent'`);
    await operator.query('select pg_reload_conf()');
    await waitUntilCommitsWait(operator, postgres.url);
    await operator.query(`select pg_terminate_backend(pid) ${PROBE_SESSIONS_SQL}`);
    while ((await operator.query(`select 1 ${PROBE_SESSIONS_SQL}`)).rows.length > 0) await wait(20);
    // A second probe, because results are cached for half a second.
    await assert.rejects(second.check(), /no write within/);
  } finally {
    writeProbe.close();
    second.close();
    await operator.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Sessions wait for a standby once the checkpointer has applied the setting, some time after its reload. */
async function waitUntilCommitsWait(operator: pg.Client, url: string): Promise<void> {
  const writingClient = new pg.Client({ connectionString: url });
  writingClient.on('error', () => {});
  await writingClient.connect();
  const waitingSql = `select 1 from pg_stat_activity where wait_event = 'SyncRep'`;
  let isWriting = false;
  while ((await operator.query(waitingSql)).rows.length === 0) {
    if (isWriting) continue;
    isWriting = true;
    // The last write waits until its session is terminated.
    void writingClient.query('update health_probe set written_at = now()').then(
      () => (isWriting = false),
      () => {},
    );
  }
  await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
}
