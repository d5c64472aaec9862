import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type EmbeddedPostgres,
  launchEmbeddedPostgres,
} from '../../../src/platform/database/embedded-postgres/launch.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createRateLimits } from '../../../src/platform/http/rate-limit.ts';
import { type Api, type ApiReply, apiClient } from '../../harness/api-client.ts';
import { eventually } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fund, ledgerOf } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { makeStandby, onServer } from '../../harness/standby.ts';
import { startSystem, type System } from '../../harness/system.ts';

let folder: string;
let system: System;
let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;
let server: ServerProcess;
let api: Api;
let member: TestMember;

const launch = (name: string) => launchEmbeddedPostgres({ directory: join(folder, name), durable: false });
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-standby-'));
  chmodSync(folder, 0o755);
  [system, primary] = await Promise.all([startSystem(), launch('primary')]);
  await makeStandby(primary, join(folder, 'primary'), join(folder, 'standby'));
  standby = await launch('standby');
  server = await startServerProcess({ databaseUrl: primary.url, outside: system.outside }, 'warn', undefined, {
    DATABASE_READ_URL: standby.url,
  });
  api = apiClient(server.url);
  member = await registerMember({ api, world: system.world });
});
after(async () => {
  await server?.stop();
  await standby?.stop();
  await primary?.stop();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const page = (): Promise<ApiReply> => api('POST /api/statement', { token: member.token, body: { limit: 100 } });
/** Reads that each of the two has served. */
async function served(): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const found = text.matchAll(/^krapao_standby_reads_total\{from="(\w+)"[^}]*\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, from, count]) => [from, Number(count)]));
}
/** Asks for pages until the standby has served one. */
async function fromStandby(): Promise<ApiReply> {
  const before = (await served())['standby'] ?? 0;
  let reply = await page();
  await eventually(
    'a page from the standby',
    async () => {
      reply = await page();
      return (await served())['standby'] ?? 0;
    },
    (count) => count > before,
  );
  return reply;
}
async function pay(amount: string): Promise<void> {
  const ledger = ledgerOf({ database: system.database, databaseUrl: primary.url });
  try {
    await fund(ledger, member.id, amount);
  } finally {
    await ledger.close();
  }
}
const onStandby = (sql: string) => onServer(standby.url, (client) => client.query(sql));

describe('statement pages from a standby', { timeout: 300_000 }, () => {
  test('a page comes from the standby, the wallet from the primary [R-SCALE-05]', async () => {
    await pay('100.00');
    const { status, body } = await fromStandby();
    assert.deepEqual([status, body.total], [200, 1]);
    const before = await served();
    assert.equal((await api('GET /api/wallet', { token: member.token })).body.wallet.amount, 100);
    assert.deepEqual(await served(), before, 'the wallet is money');
  });

  test('a standby that lags serves nothing that has changed since: no page is older than the wallet [R-SCALE-05]', async () => {
    await fromStandby();
    await onStandby('select pg_wal_replay_pause()');
    await pay('50.00');
    await eventually(
      'the money in the wallet',
      async () => (await api('GET /api/wallet', { token: member.token })).body.wallet.amount as number,
      (amount) => amount === 150,
    );
    // The server is notified of what another process has posted a moment later.
    await eventually(
      'the page with it',
      async () => (await page()).body.total as number,
      (total) => total === 2,
    );
    const { standby: before } = await served();
    for (let asked = 0; asked < 10; asked += 1) assert.equal((await page()).body.total, 2);
    assert.equal((await served())['standby'], before, 'all from the primary');
    const withdrawal = await api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 120 } });
    assert.equal(withdrawal.status, 200, 'money that only the primary knows of is decided about');
    await onStandby('select pg_wal_replay_resume()');
    assert.equal((await fromStandby()).body.total, 3);
  });

  test('a standby that is far behind serves no member [R-SCALE-05]', async () => {
    const other = await registerMember({ api, world: system.world });
    await fromStandby();
    await onStandby('select pg_wal_replay_pause()');
    await eventually(
      'a page of a member without news from the primary',
      async () => {
        const { primary: before = 0 } = await served();
        assert.equal((await api('POST /api/statement', { token: other.token, body: {} })).status, 200);
        return ((await served())['primary'] ?? 0) - before;
      },
      (more) => more > 0,
    );
    await onStandby('select pg_wal_replay_resume()');
    await fromStandby();
  });

  test('a session that leads to a standby refuses the count of a limit as a write, not as a defect', async () => {
    const database = openDatabase({ url: standby.url });
    const limits = createRateLimits(database, { now: () => new Date() });
    try {
      const hit = limits.hit({ key: 'standby', max: 1, windowSeconds: 60 });
      await assert.rejects(hit, ({ name, code }) => name === 'DatabaseUnavailable' && code === '25006');
    } finally {
      await database.close();
    }
  });

  test('a standby that is gone changes nothing; back again it serves again [R-SCALE-05]', async () => {
    await fromStandby();
    await standby.stop();
    for (let asked = 0; asked < 20; asked += 1) {
      const { status, body } = await page();
      assert.deepEqual([status, body.total], [200, 3]);
    }
    standby = await launch('standby');
    assert.equal((await fromStandby()).body.total, 3);
  });
});
