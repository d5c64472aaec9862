import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setLimits, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { pictureOf, slipsOf, upload } from '../slip/slip-world.ts';

/** The patience of the server, shrunk; what is told in time here comes in one piece. */
const SHRUNK = { REQUEST_PATIENCE_MS: '2000', UPLOAD_WINDOW_MS: '2000' };
const MANY = 1_000;
const PER_ADDRESS = 25;

let system: System;
let server: ServerProcess;
before(async () => {
  system = await startSystem();
  server = await startServerProcess(system, 'warn', undefined, SHRUNK);
  await setLimits(system, { 'slip.member': 10_000, 'slip.member.day': 10_000, 'slip.address': 100_000 });
  await setSettings(system, { slip: { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 } });
});
after(async () => {
  await server?.stop();
  await system?.stop();
});

/** A connection of its own; what came back on it, and its end. */
function dial(url: string): { socket: Socket; closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', () => {});
  return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve(answer))) };
}

/** Sends something every now and then, as long as the connection stands. */
function trickle(socket: Socket, piece: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

const isServed = async (url: string): Promise<void> => {
  const reply = await fetch(`${url}/api/lookup/active`);
  assert.equal(reply.status, 200);
  await reply.body?.cancel();
};

test('a thousand connections whose request never ends are closed, and everybody else is served meanwhile', async () => {
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
  // More than was told is another request, and none that anybody can read.
  const longer = dial(server.url);
  longer.socket.write(`${head(2)}{}${'}'.repeat(200)}\r\n\r\n`);
  const answer = await longer.closed;
  assert.match(answer, /^HTTP\/1\.1 \d\d\d /);
  assert.match(answer, /"MALFORMED_REQUEST"/);
  await isServed(server.url);
});

test('a body larger than is taken is refused with a code, whether its length is told or not', async () => {
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
  // "100 Continue" tells that it is at work.
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

const uploadHead = (token: string, bytes: number): string =>
  `POST /api/wallet/slip HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: Bearer ${token}\r\n` +
  `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${bytes}\r\n\r\n` +
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n\xff\xd8\xff';

test('an upload that trickles is given up and leaves nothing, with a word that says so [R-SLIP-02]', async () => {
  const { token } = await registerMember(system);
  const { socket, closed } = dial(server.url);
  socket.write(uploadHead(token, 1_000_000), 'latin1');
  trickle(socket, 'x', 200);
  const answer = await closed;
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /"SLIP_UPLOAD_FAIL","detail":"TOO_SLOW"/);
  assert.deepEqual(await slipsOf(system, token), []);
});

test('a few who keep all places with slow uploads don’t keep others from sending theirs [R-SLIP-02]', async () => {
  const cheats: TestMember[] = [];
  for (let one = 0; one < 4; one += 1) cheats.push(await registerMember(system));
  const { token } = await registerMember(system);
  const picture = await pictureOf('a code of something else');
  const told: string[] = [];
  const open = new Set<Socket>();
  let isOver = false;
  // Each brings just enough in each window to be let in for minutes, and begins anew whatever it is told.
  const hold = async (cheat: TestMember): Promise<void> => {
    while (!isOver) {
      const { socket } = dial(server.url);
      open.add(socket);
      socket.write(uploadHead(cheat.token, 9_000_000), 'latin1');
      trickle(socket, Buffer.alloc(10_000), 250);
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (bytes) => resolve(bytes.toString()));
        socket.once('close', () => resolve(''));
      });
      told.push(await answer);
      socket.destroy();
      open.delete(socket);
      await wait(100);
    }
  };
  const holding = [...cheats, ...cheats].map(hold);
  const isThrownOut = (): boolean => told.some((answer) => answer.includes('TOO_SLOW'));
  const deadline = Date.now() + 60_000;
  let sent = 0;
  while ((sent === 0 || !isThrownOut()) && Date.now() < deadline) {
    const answer = await upload({ url: server.url }, token, { bytes: picture });
    if (answer.status === 200) sent += 1;
    else assertRefused(answer, 'SLIP_UPLOAD_FAIL', 'BUSY');
    await wait(250);
  }
  isOver = true;
  for (const socket of open) socket.destroy();
  await Promise.all(holding);
  assert.ok(sent > 0, 'an honest picture was taken');
  assert.ok(isThrownOut(), 'a slow one made room for it');
});
