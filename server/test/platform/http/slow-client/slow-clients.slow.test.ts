import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { registerMember } from '../../../harness/members.ts';
import { openRawConnection, writeSlowly } from '../../../harness/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';

/** A short timeout of the server; bodies sent in one piece are in time. */
const SHORT_PATIENCE = { REQUEST_PATIENCE_MS: '2000' };
const CONNECTION_COUNT = 1_000;
const CONNECTIONS_PER_ADDRESS = 25;

let system: System;
let server: ServerProcess;
before(async () => {
  system = await startSystem();
  server = await startServerProcess(system, 'warn', undefined, SHORT_PATIENCE);
});
after(async () => {
  await server?.stop();
  await system?.stop();
});

const isServed = async (url: string): Promise<void> => {
  const reply = await fetch(`${url}/api/lookup/active`);
  assert.equal(reply.status, 200);
  await reply.body?.cancel();
};

test('a thousand connections with endless requests are closed, while other clients are served', async () => {
  const openConnections = Array.from({ length: CONNECTION_COUNT }, () => openRawConnection(server.url));
  openConnections.forEach(({ socket }, index) => {
    if (index % 3 === 0) return;
    socket.write('GET /api/lookup/active HTTP/1.1\r\nhost: x\r\n');
    if (index % 10 === 1) writeSlowly(socket, 'x', 300);
  });
  for (let attempt = 0; attempt < 20; attempt += 1) await isServed(server.url);
  const replies = await Promise.all(openConnections.map(({ closedWithText }) => closedWithText));
  assert.ok(
    replies.every((reply) => reply === '' || reply.includes('"TOO_SLOW"')),
    replies.find((reply) => reply !== '' && !reply.includes('"TOO_SLOW"')),
  );
  await isServed(server.url);
});

test('a body that arrives byte by byte is not waited for, and an interrupted one has no effect', async () => {
  const requestHead = (bytes: number, extraHeaders = '') =>
    `POST /api/login HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n${extraHeaders}\r\n`;
  const slowConnection = openRawConnection(server.url);
  slowConnection.socket.write(requestHead(1_000));
  writeSlowly(slowConnection.socket, ' ', 200);
  assert.equal(await slowConnection.closedWithText, '');
  const brokenConnection = openRawConnection(server.url);
  brokenConnection.socket.write(`${requestHead(1_000)}{"username":"08`, () => brokenConnection.socket.destroy());
  await brokenConnection.closedWithText;
  // Bytes past Content-Length start another request, which is malformed.
  const longerConnection = openRawConnection(server.url);
  longerConnection.socket.write(`${requestHead(2)}{}${'}'.repeat(200)}\r\n\r\n`);
  const reply = await longerConnection.closedWithText;
  assert.match(reply, /^HTTP\/1\.1 \d\d\d /);
  assert.match(reply, /"MALFORMED_REQUEST"/);
  await isServed(server.url);
});

test('a body that is too large is refused with a code, with and without Content-Length', async () => {
  const largeBody = JSON.stringify({ username: 'x'.repeat(1_000_000), password: 'x' });
  const wholeRequest = `content-length: ${largeBody.length}\r\n\r\n${largeBody}`;
  const chunkedRequest = `transfer-encoding: chunked\r\n\r\n${largeBody.length.toString(16)}\r\n${largeBody}\r\n0\r\n\r\n`;
  for (const sentPart of [wholeRequest, chunkedRequest]) {
    const { socket, closedWithText } = openRawConnection(server.url);
    socket.write(
      `POST /api/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\n${sentPart}`,
    );
    // The connection may close during sending: then there is no readable reply.
    const reply = await closedWithText;
    if (reply !== '') assert.match(reply, /^HTTP\/1\.1 413 .*"message":"[A-Z_]+"/s);
  }
  await isServed(server.url);
});

test('one address has a limited share of connections, and can reuse released ones', async () => {
  const strictServer = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: String(CONNECTIONS_PER_ADDRESS),
  });
  try {
    const openConnections = Array.from({ length: CONNECTIONS_PER_ADDRESS * 3 }, () =>
      openRawConnection(strictServer.url),
    );
    let remainingCount = openConnections.length;
    for (const { closedWithText } of openConnections) void closedWithText.then(() => (remainingCount -= 1));
    for (const deadlineMs = Date.now() + 20_000; remainingCount > CONNECTIONS_PER_ADDRESS && Date.now() < deadlineMs;)
      await wait(20);
    assert.ok(remainingCount <= CONNECTIONS_PER_ADDRESS && remainingCount > 0, `${remainingCount} are open`);
    for (const { socket } of openConnections) socket.destroy();
    await Promise.all(openConnections.map(({ closedWithText: closed }) => closed));
    let isIn = false;
    for (const deadline = Date.now() + 20_000; !isIn && Date.now() < deadline;) {
      isIn = await isServed(strictServer.url).then(
        () => true,
        () => false,
      );
    }
    assert.ok(isIn, 'served again');
  } finally {
    await strictServer.stop();
  }
});

test('many browsers at one address are served: idle connections are closed first, active ones stay', async () => {
  const strictServer = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: String(CONNECTIONS_PER_ADDRESS),
  });
  const requestText = 'GET /api/lookup/active HTTP/1.1\r\nhost: x\r\n\r\n';
  const { token } = await registerMember(system);
  // "100 Continue" shows that the request is being processed.
  const requestBeginning =
    `POST /api/login HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
    'content-length: 99\r\nexpect: 100-continue\r\n\r\n';
  const waitForReply = (socket: Socket, expectedText: string) =>
    new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false));
      socket.write(expectedText);
    });
  const openSockets: Socket[] = [];
  const openSocket = (): Socket => {
    const { socket } = openRawConnection(strictServer.url);
    openSockets.push(socket);
    return socket;
  };
  try {
    for (let attempt = 0; attempt < CONNECTIONS_PER_ADDRESS * 2; attempt += 1)
      assert.ok(await waitForReply(openSocket(), requestText), `browser ${attempt}`);
    const busySockets = Array.from({ length: CONNECTIONS_PER_ADDRESS }, openSocket);
    for (const socket of busySockets) assert.ok(await waitForReply(socket, requestBeginning), 'begun');
    assert.equal(await waitForReply(openSocket(), requestText), false, 'the share is used up');
    assert.ok(
      busySockets.every(({ destroyed }) => !destroyed),
      'and those at work are left',
    );
  } finally {
    for (const socket of openSockets) socket.destroy();
    await strictServer.stop();
  }
});
