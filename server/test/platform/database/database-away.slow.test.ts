import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '../../../src/ledger/index.ts';
import { type Api, apiClient } from '../../harness/api-client.ts';
import { type DatabaseLine, databaseLine } from '../../harness/database-line.ts';
import { eventually } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** More than the pool has connections. */
const AT_ONCE = 24;

let system: System;
let line: DatabaseLine;
let server: ServerProcess;
let api: Api;
let member: TestMember;

before(async () => {
  system = await startSystem();
  line = await databaseLine(system.databaseUrl);
  server = await startServerProcess({ databaseUrl: line.url, outside: system.outside });
  api = apiClient(server.url);
  member = await registerMember(system);
});
after(async () => {
  line.thaw();
  await server.stop();
  line.close();
  await system.stop();
});

const read = () => api('GET /api/wallet', { token: member.token });
const write = () => api('POST /api/login', { body: { username: member.phone, password: member.password } });
const ready = () => api('GET /health/ready');

const isReady = () => eventually('ready', ready, ({ status }) => status === 200);
const refusesWrites = () => eventually('not ready', ready, ({ body }) => body.status === 'database refuses writes');

/** All connections of its pool are open and idle. */
const openMany = () => Promise.all(Array.from({ length: AT_ONCE }, read));
const endSessions = () =>
  system.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );

async function assertRefused(call: () => ReturnType<Api>): Promise<void> {
  const { status, headers, body } = await call();
  assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
  assert.ok(Number(headers.get('retry-after')) > 0);
}

async function assertRecovers(): Promise<void> {
  await isReady();
  await eventually('answered', read, ({ status }) => status === 200);
  assert.equal((await write()).status, 200);
  for (const { name, violations } of await audit(system.database)) assert.equal(violations, 0, name);
}

describe('a database that is away', { timeout: 600_000 }, () => {
  test('packets that are dropped: every call is answered 503 while they are, and it recovers without a restart', async () => {
    assert.equal((await read()).status, 200);
    line.freeze();
    const waiting = Array.from({ length: 40 }, (_, n) => assertRefused(n % 2 ? read : write));
    assert.deepEqual([(await ready()).status, (await ready()).body], [503, { status: 'no database' }]);
    await Promise.all(waiting);
    await assertRefused(read);
    line.thaw();
    await assertRecovers();
  });

  test('open connections that fall silent are replaced: calls are answered as if nothing had happened', async () => {
    for (let time = 0; time < 2; time += 1) {
      await openMany();
      line.freezeOpen();
      assert.deepEqual([(await read()).status, (await write()).status], [200, 200]);
      await assertRecovers();
    }
  });

  test('the first reads after the database ended all its sessions are answered 200', async () => {
    for (let time = 0; time < 3; time += 1) {
      await openMany();
      // Asleep it learns of the ends and of the calls at the same moment.
      server.freeze();
      await endSessions();
      const reading = Promise.all(Array.from({ length: AT_ONCE }, read));
      server.thaw();
      assert.deepEqual(new Set((await reading).map(({ status }) => status)), new Set([200]));
    }
    await assertRecovers();
  });

  test('refused connections: 503 with Retry-After, and connections that were only lost are replaced', async () => {
    await openMany();
    line.cut();
    line.thaw();
    assert.equal((await read()).status, 200);
    await assertRecovers();
    line.cut();
    await Promise.all([assertRefused(read), assertRefused(write)]);
    await eventually('not ready', ready, ({ status }) => status === 503);
    line.thaw();
    await assertRecovers();
  });

  test('sessions that were ended do not make it say that there is no database', async () => {
    for (let time = 0; time < 3; time += 1) {
      await isReady();
      // What it says is kept for half a second.
      await wait(600);
      await endSessions();
      assert.deepEqual([(await ready()).status, (await ready()).body], [200, { status: 'ready' }]);
    }
    await assertRecovers();
  });

  test('a database that takes no writes: not ready, writes answer 503, reads go on; all recover by themselves', async () => {
    const name = new URL(system.databaseUrl).pathname.slice(1);
    await system.database.query(`alter database ${name} set default_transaction_read_only = on`);
    await endSessions();
    await refusesWrites();
    assert.equal((await ready()).status, 503);
    await assertRefused(write);
    await openMany();
    assert.equal((await read()).status, 200);
    await system.database.query('set default_transaction_read_only = off');
    await system.database.tx(async (tx) => {
      await tx.query('set local transaction_read_only = off');
      await tx.query(`alter database ${name} reset default_transaction_read_only`);
    });
    // Sessions of the outage still refuse writes and are not closed by the server.
    await isReady();
    await eventually('written', write, ({ status }) => status === 200);
    // One at a time: concurrent ones would exceed the login limit of a phone.
    for (let time = 0; time < 4; time += 1) assert.equal((await write()).status, 200);
    await assertRecovers();
  });

  test('a write that finds no room on the disk makes it not ready', async () => {
    await system.database.query(`
      create function no_room() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    await system.database.query(`create trigger no_room before insert on health_probe execute function no_room()`);
    await refusesWrites();
    await system.database.query('drop function no_room cascade');
    await assertRecovers();
  });

  test('the log reports each outage in lines without stacks, and no defect', async () => {
    const lines = server.written();
    assert.match(lines, /"msg":"unavailable"/);
    assert.doesNotMatch(lines, /defect|"stack":"[^"]/);
  });
});
