import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { endpoints } from '@krapao/contract/endpoints';
import { isErrorCode } from '@krapao/contract/errors';
import pg from 'pg';
import { openRawConnection } from '../../harness/raw-connection.ts';
import { startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('the front door', () => {
  let system: System;

  before(async () => {
    system = await startSystem({ simulators: false });
  });
  after(() => system.stop());

  test('unknown paths are 404 with an error code', async () => {
    for (const path of ['/api/nothing', '/api', '/api/wallet/../nothing', '/api/lookup/%00', '/no/such.file']) {
      const { status, body } = await system.api(`GET ${path}`);
      assert.equal(status, 404, path);
      assert.equal(body.message, 'NO_DATA', path);
    }
  });

  test('the health checks report that the server is alive and ready', async () => {
    assert.deepEqual((await system.api('GET /health/live')).body, { status: 'live' });
    assert.deepEqual((await system.api('GET /health/ready')).body, { status: 'ready' });
  });

  test('a caller who resets the connection during the request causes no internal error', async () => {
    const { hostname, port } = new URL(system.url);
    const caller = `
      const socket = require('node:net').connect(${port}, '${hostname}', () => {
        socket.write('GET /api/wallet HTTP/1.1\\r\\nHost: krapao\\r\\n\\r\\n', () => socket.resetAndDestroy());
      });`;
    // The server is in this process and accepts the connection afterwards: by then the caller's address is gone.
    execFileSync(process.execPath, ['-e', caller]);
    assert.equal((await system.api('GET /health/live')).status, 200);
    assert.deepEqual(system.defects, []);
  });

  test('an Upgrade header for another protocol than WebSocket is declined with a reply', async () => {
    for (const upgradeProtocol of ['h2c', 'websocket']) {
      const { socket, closedWithText } = openRawConnection(system.url);
      socket.write(
        `GET /health/live HTTP/1.1\r\nHost: krapao\r\nUpgrade: ${upgradeProtocol}\r\nConnection: Upgrade, HTTP2-Settings, close\r\n` +
          'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n',
      );
      assert.match(await closedWithText, /^HTTP\/1\.1 200 OK\r\n[^]*{"status":"live"}$/, upgradeProtocol);
    }
  });

  test('the OpenAPI document lists every call with its failures', async () => {
    const { body } = await system.api('GET /openapi.json');
    assert.equal(body.openapi, '3.1.0');
    for (const name of Object.keys(endpoints)) {
      const [method = '', path = ''] = name.split(' ');
      const operation = body.paths[path]?.[method.toLowerCase()];
      assert.ok(operation, name);
      assert.ok(operation.responses['500'], name);
    }
    assert.ok(body.components.schemas.Failure.properties.message.enum.every(isErrorCode));
  });

  test('metrics are served to this machine only', async () => {
    const { status, body } = await system.api('GET /metrics');
    assert.equal(status, 200);
    assert.match(body, /http_request_seconds_bucket/);
    const forwardedReply = await system.api('GET /metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(forwardedReply.status, 404);
  });
});

describe('calls in flight when a server stops', () => {
  let system: System;
  let otherClient: pg.Client;

  before(async () => {
    system = await startSystem({ simulators: false });
    otherClient = new pg.Client({ connectionString: system.databaseUrl });
    await otherClient.connect();
  });
  after(async () => {
    await otherClient.end();
    // Throws when a call ended in a defect.
    await system.stop();
  });

  /** Starts a login that waits for a database lock until the lock is released. */
  async function startHeldLogin(url: string) {
    await otherClient.query('begin; lock table member in access exclusive mode');
    const isWaiting = async (): Promise<boolean> => {
      // Copies of one template database have the same table ids.
      const { rows } = await otherClient.query(
        `select from pg_locks join pg_database on oid = database
         where datname = current_database() and relation = 'member'::regclass and not granted`,
      );
      return rows.length > 0;
    };
    const connection = openRawConnection(url);
    const body = JSON.stringify({ username: '0800000001', password: 'not the password' });
    connection.socket.write(
      'POST /api/login HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\n' +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    while (!(await isWaiting())) await wait(10);
    return { ...connection, letOn: () => otherClient.query('commit') };
  }

  test('after the drain the port stays open until calls in flight have ended with a reply', async () => {
    const server = await startServerProcess(system, 'warn', undefined, { DRAIN_MS: '0' });
    const login = await startHeldLogin(server.url);
    const serverStopped = server.stop();
    const readReadiness = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;
    while ((await readReadiness()) === 200) await wait(10);
    await wait(300);
    // Refused, a balancer would take the node for dead and cut the login.
    assert.equal(await readReadiness(), 404);
    await login.letOn();
    assert.match(await login.closedWithText, /^HTTP\/1\.1 4\d\d /);
    await serverStopped;
    await assert.rejects(readReadiness());
  });

  test('a stop waits for handlers whose caller has disconnected, before it closes what they use', async () => {
    const login = await startHeldLogin(system.url);
    login.socket.destroy();
    let isStopped = false;
    const appClosed = system.app.close().then(() => (isStopped = true));
    await wait(200);
    assert.equal(isStopped, false);
    await login.letOn();
    await appClosed;
  });
});
