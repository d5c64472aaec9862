import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { io, type Socket } from 'socket.io-client';
import { openEventListener, waitForJoins, waitUntil } from '../../../event/member-socket.ts';
import { registerMember } from '../../../harness/members.ts';
import { openRawConnection } from '../../../harness/raw-connection.ts';
import { startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

/** Opens a socket that joins nothing; resolves when it is open or refused. */
const openWebSocket = (url: string): Promise<WebSocket> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http:', 'ws:')}/socket.io/?EIO=4&transport=websocket`);
    for (const event of ['open', 'error', 'close']) socket.addEventListener(event, () => resolve(socket));
  });

test('200 sockets without a room deprive no member at the same address of calls or sockets [R-OPS-09]', async () => {
  const member = await registerMember(system);
  const server = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: '100',
  });
  const hostile: WebSocket[] = [];
  try {
    hostile.push(...(await Promise.all(Array.from({ length: 200 }, () => openWebSocket(server.url)))));
    const headers = { authorization: `Bearer ${member.token}` };
    for (let call = 0; call < 20; call += 1)
      assert.equal((await fetch(`${server.url}/api/wallet`, { headers })).status, 200);
    const listener = openEventListener(server.url, member);
    await waitForJoins(listener);
    // The joined socket outlives those that join nothing.
    hostile.push(...(await Promise.all(Array.from({ length: 100 }, () => openWebSocket(server.url)))));
    assert.ok(listener.socket.connected);
    listener.socket.close();
  } finally {
    for (const socket of hostile) socket.close();
    await server.stop();
  }
});

test('behind a proxy, sockets without a room are limited per address, and its oldest is closed', async () => {
  const server = await startServerProcess(system, 'warn', undefined, { CONNECTIONS_PER_ADDRESS: '20' });
  const open = (address: string): Socket =>
    io(server.url, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { 'x-forwarded-for': address },
    });
  const sockets: Socket[] = [];
  const untilConnected = (socket: Socket): Promise<void> =>
    waitUntil(
      () => socket.connected,
      () => 'not connected',
    );
  try {
    const neighbour = open('203.0.113.2');
    sockets.push(neighbour);
    await untilConnected(neighbour);
    const hostile: Socket[] = [];
    for (let count = 0; count < 13; count += 1) {
      const socket = open('203.0.113.1');
      sockets.push(socket);
      hostile.push(socket);
      await untilConnected(socket);
    }
    await waitUntil(
      () => hostile.filter(({ connected }) => connected).length === 10,
      () => `${hostile.filter(({ connected }) => connected).length} are connected`,
    );
    assert.deepEqual(
      hostile.map(({ connected }) => connected),
      [false, false, false, ...Array.from({ length: 10 }, () => true)],
    );
    assert.ok(neighbour.connected);
  } finally {
    for (const socket of sockets) socket.close();
    await server.stop();
  }
});

test('with too many connections, stalled requests without a session give way to new ones; those of members stay [R-OPS-09]', async () => {
  const { token } = await registerMember(system);
  const server = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: '25',
  });
  const head = (headers: string): string =>
    `POST /api/login HTTP/1.1\r\nhost: x\r\n${headers}content-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n`;
  const connections: ReturnType<typeof openRawConnection>['socket'][] = [];
  const begin = (headers = ''): Promise<boolean> =>
    new Promise((resolve) => {
      const { socket } = openRawConnection(server.url);
      connections.push(socket);
      // "100 Continue" shows that the request is being processed.
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false));
      socket.write(head(headers));
    });
  try {
    assert.ok(await begin(`authorization: Bearer ${token}\r\n`), 'the member sends');
    for (let count = 0; count < 40; count += 1) assert.ok(await begin(), `request ${count}`);
    assert.equal((await fetch(`${server.url}/api/lookup/active`)).status, 200);
    // The client learns of the last closed connection after the reply.
    await waitUntil(
      () => connections.filter(({ destroyed }) => !destroyed).length === 24,
      () => 'not 24 open connections',
    );
    assert.equal(connections[0]?.destroyed, false);
  } finally {
    for (const socket of connections) socket.destroy();
    await server.stop();
  }
});
