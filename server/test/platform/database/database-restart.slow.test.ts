import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  launchEmbeddedPostgres,
} from '../../../src/platform/database/embedded-postgres/launch.ts';
import { type Api, apiClient } from '../../harness/api-client.ts';
import { waitUntilResult } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const CONNECTIONS_MAX = 30;
const CONCURRENT_READS = 12;

describe('an embedded PostgreSQL that restarts', { timeout: 300_000 }, () => {
  let folder: string;
  let system: System;
  let postgres: EmbeddedPostgres;
  let server: ServerProcess;
  let api: Api;
  let member: TestMember;

  const launch = () =>
    launchEmbeddedPostgres({
      directory: join(folder, 'postgres'),
      durable: false,
      maxConnections: CONNECTIONS_MAX,
    });
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'krapao-restart-'));
    chmodSync(folder, 0o755);
    [system, postgres] = await Promise.all([startSystem(), launch()]);
    server = await startServerProcess({ databaseUrl: postgres.url, outside: system.outside });
    api = apiClient(server.url);
    member = await registerMember({ api, simulatorsApi: system.simulatorsApi });
  });
  after(async () => {
    server.thaw();
    await server.stop();
    await postgres.stop();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const readWallet = () => api('GET /api/wallet', { token: member.token });
  const writeLogin = () => api('POST /api/login', { body: { username: member.phone, password: member.password } });
  const readReadiness = () => api('GET /health/ready');
  const readMany = () => Promise.all(Array.from({ length: CONCURRENT_READS }, readWallet));
  const isReady = () => waitUntilResult('ready', readReadiness, ({ status }) => status === 200);

  async function assertRefused(sendRequest: () => ReturnType<Api>): Promise<void> {
    const { status, headers, body } = await sendRequest();
    assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }

  test('the first reads after a restart of PostgreSQL get 200', async () => {
    for (let time = 0; time < 2; time += 1) {
      await readMany();
      // Asleep the server learns of all the ends and of the calls at the same moment.
      server.freeze();
      await postgres.stop();
      postgres = await launch();
      const pendingReads = readMany();
      server.thaw();
      assert.deepEqual(new Set((await pendingReads).map(({ status }) => status)), new Set([200]));
      await isReady();
      assert.equal((await writeLogin()).status, 200);
    }
  });

  test('without a free database connection calls get 503 with Retry-After until there is one', async () => {
    server.freeze();
    const otherClients = await takeAllConnections(postgres.url);
    const pendingCalls = Promise.all([assertRefused(readWallet), assertRefused(writeLogin)]);
    server.thaw();
    await pendingCalls;
    assert.deepEqual(
      [(await readReadiness()).status, (await readReadiness()).body],
      [503, { status: 'database refuses writes' }],
    );
    await Promise.all(otherClients.map((otherClient) => otherClient.end()));
    await isReady();
    assert.deepEqual([(await readWallet()).status, (await writeLogin()).status], [200, 200]);
  });

  test('the log reports a restart and missing connections without stacks and without an internal error', () => {
    const logText = server.readLog();
    assert.match(
      logText,
      /"reason":"sorry, too many clients already"[^\n]*"msg":"request refused, dependency unavailable"/,
    );
    assert.doesNotMatch(logText, /defect|"stack":"[^"]/);
  });
});

/** Terminates the server's connections and takes all available ones. */
async function takeAllConnections(url: string): Promise<pg.Client[]> {
  const takenClients: pg.Client[] = [];
  const takeConnection = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // A terminated connection may occupy its slot for a moment.
      assert.equal((error as { code?: string }).code, '53300');
      return;
    }
    if (takenClients.push(client) === 1) await terminateOthers(client);
  };
  await waitUntilResult(
    'all taken',
    async () => {
      await takeConnection();
      return takenClients.length;
    },
    (count) => count === CONNECTIONS_MAX,
  );
  return takenClients;
}

const terminateOthers = (client: pg.Client) =>
  waitUntilResult(
    'no connection of the server',
    () =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      ),
    ({ rowCount }) => rowCount === 0,
  );
