import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../../src/platform/database/database.ts';
import {
  type EmbeddedPostgres,
  launchEmbeddedPostgres,
} from '../../../src/platform/database/embedded-postgres/launch.ts';
import { createRateLimits } from '../../../src/platform/http/rate-limit.ts';
import { type Api, type ApiReply, apiClient } from '../../harness/api-client.ts';
import { waitUntilResult } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { makeStandby, withServerClient } from '../../harness/standby.ts';
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
  member = await registerMember({ api, simulatorsApi: system.simulatorsApi });
});
after(async () => {
  await server?.stop();
  await standby?.stop();
  await primary?.stop();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const readStatementPage = (): Promise<ApiReply> =>
  api('POST /api/statement', { token: member.token, body: { limit: 100 } });
/** Number of reads served by the primary and by the standby. */
async function countServedReads(): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const metricMatches = text.matchAll(/^krapao_standby_reads_total\{from="(\w+)"[^}]*\} (\d+)$/gm);
  return Object.fromEntries([...metricMatches].map(([, from, count]) => [from, Number(count)]));
}
/** Reads pages until the standby has served one. */
async function readFromStandby(): Promise<ApiReply> {
  const before = (await countServedReads())['standby'] ?? 0;
  let reply = await readStatementPage();
  await waitUntilResult(
    'a page from the standby',
    async () => {
      reply = await readStatementPage();
      return (await countServedReads())['standby'] ?? 0;
    },
    (count) => count > before,
  );
  return reply;
}
async function payDeposit(amount: string): Promise<void> {
  const ledger = createTestLedger({ database: system.database, databaseUrl: primary.url });
  try {
    await fundWallet(ledger, member.id, amount);
  } finally {
    await ledger.close();
  }
}
const queryStandby = (sql: string) => withServerClient(standby.url, (client) => client.query(sql));

describe('statement pages from a standby', { timeout: 300_000 }, () => {
  test('a statement page is read from the standby, the wallet from the primary [R-SCALE-05]', async () => {
    await payDeposit('100.00');
    const { status, body } = await readFromStandby();
    assert.deepEqual([status, body.total], [200, 1]);
    const before = await countServedReads();
    assert.equal((await api('GET /api/wallet', { token: member.token })).body.wallet.amount, 100);
    assert.deepEqual(await countServedReads(), before, 'the wallet is money');
  });

  test("filtered and searched pages are read from the standby, with the primary's movements [R-SCALE-05]", async () => {
    await readFromStandby();
    for (const filter of [{ status: 'SUCCESS' }, { types: ['deposit'] }, { search: '100' }]) {
      const before = (await countServedReads())['standby'] ?? 0;
      // A standby that lags for a moment leaves a page to the primary.
      await waitUntilResult(
        `the standby serves ${JSON.stringify(filter)}`,
        async () => {
          const reply = await api('POST /api/statement', { token: member.token, body: filter });
          assert.deepEqual([reply.status, reply.body.total], [200, 1], JSON.stringify(reply.body));
          return (await countServedReads())['standby'] ?? 0;
        },
        (count) => count > before,
      );
    }
  });

  test('deposit statistics are read from the standby, every minute and without a request [R-SCALE-05]', async () => {
    await readFromStandby();
    const { standby: before = 0 } = await countServedReads();
    const deadlineMs = Date.now() + 150_000;
    let count = before;
    while (count < before + 3 && Date.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      count = (await countServedReads())['standby'] ?? 0;
    }
    assert.ok(count >= before + 3, `${count} reads, ${before} before`);
  });

  test('a lagging standby serves no statement page older than the wallet [R-SCALE-05]', async () => {
    await readFromStandby();
    await queryStandby('select pg_wal_replay_pause()');
    await payDeposit('50.00');
    await waitUntilResult(
      'the money in the wallet',
      async () => (await api('GET /api/wallet', { token: member.token })).body.wallet.amount as number,
      (amount) => amount === 150,
    );
    // The server learns of another process's operations a moment later.
    await waitUntilResult(
      'the page with it',
      async () => (await readStatementPage()).body.total as number,
      (total) => total === 2,
    );
    const { standby: before } = await countServedReads();
    for (let attempt = 0; attempt < 10; attempt += 1) assert.equal((await readStatementPage()).body.total, 2);
    assert.equal((await countServedReads())['standby'], before, 'all from the primary');
    const withdrawal = await api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 120 } });
    assert.equal(withdrawal.status, 200, 'money that only the primary knows of is decided about');
    await queryStandby('select pg_wal_replay_resume()');
    assert.equal((await readFromStandby()).body.total, 3);
  });

  test('a standby that is far behind serves no member [R-SCALE-05]', async () => {
    const otherMember = await registerMember({ api, simulatorsApi: system.simulatorsApi });
    await readFromStandby();
    await queryStandby('select pg_wal_replay_pause()');
    await waitUntilResult(
      'a page of a member without news from the primary',
      async () => {
        const { primary: before = 0 } = await countServedReads();
        assert.equal((await api('POST /api/statement', { token: otherMember.token, body: {} })).status, 200);
        return ((await countServedReads())['primary'] ?? 0) - before;
      },
      (moreReads) => moreReads > 0,
    );
    await queryStandby('select pg_wal_replay_resume()');
    await readFromStandby();
  });

  test("a rate limit counted on a standby's session is refused as read-only, not as an internal error", async () => {
    const database = openDatabase({ url: standby.url });
    const limits = createRateLimits(database, { now: () => new Date() });
    try {
      const pendingHit = limits.hit({ key: 'standby', max: 1, windowSeconds: 60 });
      await assert.rejects(pendingHit, ({ name, code }) => name === 'DatabaseUnavailable' && code === '25006');
    } finally {
      await database.close();
    }
  });

  test('without the standby every page is read from the primary, and from the standby again after its return [R-SCALE-05]', async () => {
    await readFromStandby();
    await standby.stop();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { status, body } = await readStatementPage();
      assert.deepEqual([status, body.total], [200, 3]);
    }
    standby = await launch('standby');
    assert.equal((await readFromStandby()).body.total, 3);
  });
});
