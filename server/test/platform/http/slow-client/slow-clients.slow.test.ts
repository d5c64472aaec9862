import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { dial, trickle } from '../../../harness/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';

/** A short timeout of the server; bodies that are in time are sent in one piece. */
const SHRUNK = { REQUEST_PATIENCE_MS: '2000' };
const MANY = 1_000;
const PER_ADDRESS = 25;

let system: System;
let server: ServerProcess;
before(async () => {
  system = await startSystem();
  server = await startServerProcess(system, 'warn', undefined, SHRUNK);
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

test('a thousand connections whose request never ends are closed, and other clients are served meanwhile', async () => {
  const open = Array.from({ length: MANY }, () => dial(server.url));
  open.forEach(({ socket }, at) => {
    if (at % 3 === 0) return;
    socket.write('GET /api/lookup/active HTTP/1.1\r\nhost: x\r\n');
    if (at % 10 === 1) trickle(socket, 'x', 300);
  });
  for (let one = 0; one < 20; one += 1) await isServed(server.url);
  const answers = await Promise.all(open.map(({ closed }) => closed));
  assert.ok(
    answers.every((answer) => answer === '' || answer.includes('"TOO_SLOW"')),
    answers.find((answer) => answer !== '' && !answer.includes('"TOO_SLOW"')),
  );
  await isServed(server.url);
});

test('a body that comes byte by byte is not waited for, and one that breaks off does nothing', async () => {
  const head = (bytes: number, more = '') =>
    `POST /api/login HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n${more}\r\n`;
  const slow = dial(server.url);
  slow.socket.write(head(1_000));
  trickle(slow.socket, ' ', 200);
  assert.equal(await slow.closed, '');
  const broken = dial(server.url);
  broken.socket.write(`${head(1_000)}{"username":"08`, () => broken.socket.destroy());
  await broken.closed;
  // Bytes past Content-Length are another request, a malformed one.
  const longer = dial(server.url);
  longer.socket.write(`${head(2)}{}${'}'.repeat(200)}\r\n\r\n`);
  const answer = await longer.closed;
  assert.match(answer, /^HTTP\/1\.1 \d\d\d /);
  assert.match(answer, /"MALFORMED_REQUEST"/);
  await isServed(server.url);
});

test('a body that is too large is refused with a code, with and without Content-Length', async () => {
  const large = JSON.stringify({ username: 'x'.repeat(1_000_000), password: 'x' });
  const whole = `content-length: ${large.length}\r\n\r\n${large}`;
  const inPieces = `transfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  for (const sent of [whole, inPieces]) {
    const { socket, closed } = dial(server.url);
    socket.write(
      `POST /api/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\n${sent}`,
    );
    // A connection may end while we are still sending: then there is no answer to be read.
    const answer = await closed;
    if (answer !== '') assert.match(answer, /^HTTP\/1\.1 413 .*"message":"[A-Z_]+"/s);
  }
  await isServed(server.url);
});

test('one address has its share of connections and no more; what it lets go it may have again', async () => {
  const strict = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
  });
  try {
    const open = Array.from({ length: PER_ADDRESS * 3 }, () => dial(strict.url));
    let left = open.length;
    for (const { closed } of open) void closed.then(() => (left -= 1));
    for (const deadline = Date.now() + 20_000; left > PER_ADDRESS && Date.now() < deadline;) await wait(20);
    assert.ok(left <= PER_ADDRESS && left > 0, `${left} are open`);
    for (const { socket } of open) socket.destroy();
    await Promise.all(open.map(({ closed }) => closed));
    let isIn = false;
    for (const deadline = Date.now() + 20_000; !isIn && Date.now() < deadline;) {
      isIn = await isServed(strict.url).then(
        () => true,
        () => false,
      );
    }
    assert.ok(isIn, 'served again');
  } finally {
    await strict.stop();
  }
});

test('a crowd behind one address is served: what its browsers keep open and don’t use makes room, what is at work stays', async () => {
  const strict = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '10.9.9.9',
    CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
  });
  const ask = 'GET /api/lookup/active HTTP/1.1\r\nhost: x\r\n\r\n';
  // "100 Continue" shows that the request is being processed.
  const begin =
    'POST /api/login HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\n' +
    'content-length: 99\r\nexpect: 100-continue\r\n\r\n';
  const answered = (socket: Socket, said: string) =>
    new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false));
      socket.write(said);
    });
  const open: Socket[] = [];
  const dialed = (): Socket => {
    const { socket } = dial(strict.url);
    open.push(socket);
    return socket;
  };
  try {
    for (let one = 0; one < PER_ADDRESS * 2; one += 1) assert.ok(await answered(dialed(), ask), `browser ${one}`);
    const busy = Array.from({ length: PER_ADDRESS }, dialed);
    for (const socket of busy) assert.ok(await answered(socket, begin), 'begun');
    assert.equal(await answered(dialed(), ask), false, 'the share is used up');
    assert.ok(
      busy.every(({ destroyed }) => !destroyed),
      'and those at work are left',
    );
  } finally {
    for (const socket of open) socket.destroy();
    await strict.stop();
  }
});
