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
import { eventually } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const CONNECTIONS_MAX = 30;
const READS_AT_ONCE = 12;

describe('a PostgreSQL of its own', { timeout: 300_000 }, () => {
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
    member = await registerMember({ api, world: system.world });
  });
  after(async () => {
    server.thaw();
    await server.stop();
    await postgres.stop();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = () => api('GET /api/wallet', { token: member.token });
  const write = () => api('POST /api/login', { body: { username: member.phone, password: member.password } });
  const ready = () => api('GET /health/ready');
  const readMany = () => Promise.all(Array.from({ length: READS_AT_ONCE }, read));
  const isReady = () => eventually('ready', ready, ({ status }) => status === 200);

  async function assertRefused(call: () => ReturnType<Api>): Promise<void> {
    const { status, headers, body } = await call();
    assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }

  test('after a restart the first reads are answered 200', async () => {
    for (let time = 0; time < 2; time += 1) {
      await readMany();
      // Asleep the server learns of all the ends and of the calls at the same moment.
      server.freeze();
      await postgres.stop();
      postgres = await launch();
      const reading = readMany();
      server.thaw();
      assert.deepEqual(new Set((await reading).map(({ status }) => status)), new Set([200]));
      await isReady();
      assert.equal((await write()).status, 200);
    }
  });

  test('one that has no connection left: 503 with Retry-After, not ready, and it recovers when there is one', async () => {
    server.freeze();
    const others = await takeAllConnections(postgres.url);
    const calls = Promise.all([assertRefused(read), assertRefused(write)]);
    server.thaw();
    await calls;
    assert.deepEqual([(await ready()).status, (await ready()).body], [503, { status: 'database refuses writes' }]);
    await Promise.all(others.map((one) => one.end()));
    await isReady();
    assert.deepEqual([(await read()).status, (await write()).status], [200, 200]);
  });

  test('the log reports both in lines without stacks, and no defect', () => {
    const lines = server.written();
    assert.match(lines, /"reason":"sorry, too many clients already"[^\n]*"msg":"unavailable"/);
    assert.doesNotMatch(lines, /defect|"stack":"[^"]/);
  });
});

/** Ends the connections of the server and takes every one that there is. */
async function takeAllConnections(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  const takeOne = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // One that was ended may keep its place for a moment.
      assert.equal((error as { code?: string }).code, '53300');
      return;
    }
    if (taken.push(client) === 1) await endOthers(client);
  };
  await eventually(
    'all taken',
    async () => {
      await takeOne();
      return taken.length;
    },
    (count) => count === CONNECTIONS_MAX,
  );
  return taken;
}

const endOthers = (client: pg.Client) =>
  eventually(
    'no connection of the server',
    () =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      ),
    ({ rowCount }) => rowCount === 0,
  );
