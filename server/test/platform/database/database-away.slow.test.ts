import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '../../../src/ledger/index.ts';
import { type Api, apiClient } from '../../harness/api-client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy.ts';
import { waitUntilResult } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** More than the pool's connections. */
const AT_ONCE = 24;

let system: System;
let databaseProxy: DatabaseProxy;
let server: ServerProcess;
let api: Api;
let member: TestMember;

before(async () => {
  system = await startSystem();
  databaseProxy = await startDatabaseProxy(system.databaseUrl);
  server = await startServerProcess({ databaseUrl: databaseProxy.url, outside: system.outside });
  api = apiClient(server.url);
  member = await registerMember(system);
});
after(async () => {
  databaseProxy.thaw();
  await server.stop();
  databaseProxy.close();
  await system.stop();
});

const readWallet = () => api('GET /api/wallet', { token: member.token });
const writeLogin = () => api('POST /api/login', { body: { username: member.phone, password: member.password } });
const readReadiness = () => api('GET /health/ready');

const isReady = () => waitUntilResult('ready', readReadiness, ({ status }) => status === 200);
const waitForRefusedWrites = () =>
  waitUntilResult('not ready', readReadiness, ({ body }) => body.status === 'database refuses writes');

/** All connections of its pool are open and idle. */
const openMany = () => Promise.all(Array.from({ length: AT_ONCE }, readWallet));
const terminateSessions = () =>
  system.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );

async function assertRefused(sendRequest: () => ReturnType<Api>): Promise<void> {
  const { status, headers, body } = await sendRequest();
  assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
  assert.ok(Number(headers.get('retry-after')) > 0);
}

async function assertRecovers(): Promise<void> {
  await isReady();
  await waitUntilResult('answered', readWallet, ({ status }) => status === 200);
  assert.equal((await writeLogin()).status, 200);
  for (const { name, violations } of await audit(system.database)) assert.equal(violations, 0, name);
}

describe('a database that is unavailable', { timeout: 600_000 }, () => {
  test("while the database's packets are dropped every call gets 503, and the server recovers without a restart", async () => {
    assert.equal((await readWallet()).status, 200);
    databaseProxy.freeze();
    const pendingRefusals = Array.from({ length: 40 }, (_, n) => assertRefused(n % 2 ? readWallet : writeLogin));
    assert.deepEqual([(await readReadiness()).status, (await readReadiness()).body], [503, { status: 'no database' }]);
    await Promise.all(pendingRefusals);
    await assertRefused(readWallet);
    databaseProxy.thaw();
    await assertRecovers();
  });

  test('silent database connections are replaced, and calls succeed as before', async () => {
    for (let time = 0; time < 2; time += 1) {
      await openMany();
      databaseProxy.freezeOpenConnections();
      assert.deepEqual([(await readWallet()).status, (await writeLogin()).status], [200, 200]);
      await assertRecovers();
    }
  });

  test('the first reads after the database ended all sessions get 200', async () => {
    for (let time = 0; time < 3; time += 1) {
      await openMany();
      // The frozen server learns of the closed connections and of the calls at the same moment.
      server.freeze();
      await terminateSessions();
      const pendingReads = Promise.all(Array.from({ length: AT_ONCE }, readWallet));
      server.thaw();
      assert.deepEqual(new Set((await pendingReads).map(({ status }) => status)), new Set([200]));
    }
    await assertRecovers();
  });

  test('refused database connections give 503 with Retry-After, and lost connections are replaced', async () => {
    await openMany();
    databaseProxy.cutConnections();
    databaseProxy.thaw();
    assert.equal((await readWallet()).status, 200);
    await assertRecovers();
    databaseProxy.cutConnections();
    await Promise.all([assertRefused(readWallet), assertRefused(writeLogin)]);
    await waitUntilResult('not ready', readReadiness, ({ status }) => status === 503);
    databaseProxy.thaw();
    await assertRecovers();
  });

  test('ended database sessions do not count as an unavailable database', async () => {
    for (let time = 0; time < 3; time += 1) {
      await isReady();
      // The readiness result is cached for half a second.
      await wait(600);
      await terminateSessions();
      assert.deepEqual([(await readReadiness()).status, (await readReadiness()).body], [200, { status: 'ready' }]);
    }
    await assertRecovers();
  });

  test('with a read-only database the server is not ready, writes get 503, reads work, and all recovers automatically', async () => {
    const name = new URL(system.databaseUrl).pathname.slice(1);
    await system.database.query(`alter database ${name} set default_transaction_read_only = on`);
    await terminateSessions();
    await waitForRefusedWrites();
    assert.equal((await readReadiness()).status, 503);
    await assertRefused(writeLogin);
    await openMany();
    assert.equal((await readWallet()).status, 200);
    await system.database.query('set default_transaction_read_only = off');
    await system.database.tx(async (tx) => {
      await tx.query('set local transaction_read_only = off');
      await tx.query(`alter database ${name} reset default_transaction_read_only`);
    });
    // Sessions of the outage still refuse writes and are not closed by the server.
    await isReady();
    await waitUntilResult('written', writeLogin, ({ status }) => status === 200);
    // One at a time: concurrent logins would exceed a phone's limit.
    for (let time = 0; time < 4; time += 1) assert.equal((await writeLogin()).status, 200);
    await assertRecovers();
  });

  test('a write without disk space makes the server not ready', async () => {
    await system.database.query(`
      create function no_room() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    await system.database.query(`create trigger no_room before insert on health_probe execute function no_room()`);
    await waitForRefusedWrites();
    await system.database.query('drop function no_room cascade');
    await assertRecovers();
  });

  test('the log reports each database outage without stacks and without an internal error', async () => {
    const logText = server.readLog();
    assert.match(logText, /"msg":"request refused, dependency unavailable"/);
    assert.doesNotMatch(logText, /defect|"stack":"[^"]/);
  });
});
