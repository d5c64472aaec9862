import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { newMember, newVisitor } from '../../../chat/chat-world.ts';
import { uploadTo } from '../../../chat/file-world.ts';
import { eventually } from '../../../harness/games.ts';
import { lockWaits } from '../../../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../../../harness/members.ts';
import { setLimits, takeSlipsNow } from '../../../harness/operator.ts';
import { dial, type RawConnection, trickle } from '../../../harness/raw-connection.ts';
import { assertRefused } from '../../../harness/refused.ts';
import { type ServerProcess, startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import { slipImage, slipsOf, upload } from '../../../deposit/slip/slip-fixtures.ts';

const LARGE = 9_000_000;
const MANY = 100_000;
/** Kilobytes per second and connection: just above what the server gives up at. */
const SLOW_KB = 1.3;
const PER_SECOND = 4;
/** More than the first five checks of two uploads. */
const BOTH_SPEEDS_KNOWN_MS = 7_000;

let system: System;
let picture: Buffer;
const open: RawConnection[] = [];

before(async () => {
  system = await startSystem();
  picture = await slipImage('a code of something else');
  const names = ['slip.member', 'slip.member.day', 'slip.address', 'chat.file.customer', 'chat.file.customer.day'];
  const more = ['chat.file.address', 'chat.file.visitors.day'];
  await setLimits(system, Object.fromEntries([...names, ...more].map((name) => [name, MANY])));
  await takeSlipsNow(system);
});
after(() => system.stop());

/** Runs against a server process with these limits; closes every slow upload afterwards. */
async function withServer(
  environment: Readonly<Record<string, string>>,
  run: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await startServerProcess(system, 'warn', undefined, environment);
  try {
    await run(server);
  } finally {
    for (const { socket } of open.splice(0)) socket.destroy();
    await server.stop();
  }
}

const SLIP = 'wallet/slip';
const CHAT = 'chat/upload-image';

/** Starts an endless upload at this speed. */
function send(
  { url }: ServerProcess,
  path: string,
  authorization: string,
  kilobytes: number,
  bytes = LARGE,
): RawConnection {
  const connection = dial(url);
  open.push(connection);
  connection.socket.write(
    `POST /api/${path} HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: ${authorization}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${bytes}\r\n\r\n` +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n\xff\xd8\xff',
    'latin1',
  );
  trickle(connection.socket, Buffer.alloc((kilobytes * 1_000) / PER_SECOND), 1_000 / PER_SECOND);
  return connection;
}

const sendSlip = (server: ServerProcess, { token }: TestMember, kilobytes: number): RawConnection =>
  send(server, SLIP, `Bearer ${token}`, kilobytes);

/** Waits until an upload of the member is counted, which happens once it has a slot. */
async function hasSlot({ id }: TestMember): Promise<void> {
  const count = () => system.database.query('select from rate_limit where key = $1', [`slip.member:${id}`]);
  await eventually('counted uploads of a member', count, ({ rowCount }) => rowCount === 1);
}

/** Waits for a reply; the connection keeps sending. */
async function answered(connection: RawConnection): Promise<string> {
  while (connection.answer() === '' && !connection.socket.destroyed) await wait(20);
  return connection.answer();
}

test('an upload that trickles is aborted with an error code and leaves nothing [R-SLIP-02]', async () => {
  await withServer({ UPLOAD_WINDOW_MS: '2000' }, async (server) => {
    const { token } = await registerMember(system);
    const answer = await send(server, SLIP, `Bearer ${token}`, 0.02).closed;
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /"SLIP_UPLOAD_FAIL","detail":"TOO_SLOW"/);
    assert.deepEqual(await slipsOf(system, token), []);
  });
});

test('four members with two slow uploads each block no other member [R-SLIP-02]', async () => {
  await withServer({}, async (server) => {
    const slow: RawConnection[] = [];
    for (let one = 0; one < 4; one += 1) {
      const cheat = await registerMember(system);
      slow.push(sendSlip(server, cheat, SLOW_KB), sendSlip(server, cheat, SLOW_KB));
    }
    const { token } = await registerMember(system);
    for (let one = 0; one < 8; one += 1) {
      const { status, body } = await upload(server, token, { bytes: picture });
      assert.equal(status, 200, JSON.stringify(body));
    }
    assert.ok(
      slow.every(({ socket }) => !socket.destroyed),
      'and there was room for both',
    );
  });
});

test('when all slots are taken the slowest upload yields, and its connection closes although it keeps sending', async () => {
  await withServer({ UPLOADS_OF_MEMBERS: '2' }, async (server) => {
    const [slow, fast, honest] = [
      await registerMember(system),
      await registerMember(system),
      await registerMember(system),
    ];
    // An upload yields only once its speed is known, which takes a few seconds. The slow one begins first: otherwise there is a
    // moment in which only the speed of the fast one is known, and the fast one yields.
    const slowOne = sendSlip(server, slow, SLOW_KB);
    await hasSlot(slow);
    const fastOne = sendSlip(server, fast, 40);
    await hasSlot(fast);
    const early = await upload(server, honest.token, { bytes: picture });
    if (early.status !== 200) assertRefused(early, 'SLIP_UPLOAD_FAIL', 'BUSY');
    await wait(BOTH_SPEEDS_KNOWN_MS);
    const sendAgain = () => upload(server, honest.token, { bytes: picture });
    await eventually('an upload of the honest member', sendAgain, ({ status }) => status === 200);
    assert.equal(fastOne.answer(), '', 'the faster one keeps its slot');
    assert.match(await slowOne.closed, /"SLIP_UPLOAD_FAIL","detail":"TOO_SLOW"/);
    assert.equal(fastOne.answer(), '', 'the faster one keeps its slot');
  });
});

test('one member holds at most two slots, slips and chat files together', async () => {
  await withServer({}, async (server) => {
    const member = await registerMember(system);
    const authorization = `Bearer ${member.token}`;
    const connections = [SLIP, CHAT, SLIP, CHAT].map((head) => send(server, head, authorization, SLOW_KB));
    const answers: string[] = [];
    // Which two come first is the network's choice.
    for (const { closed } of connections) void closed.then((answer) => answers.push(answer));
    while (answers.length < 2) await wait(20);
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 429 .*"UPLOADS_AT_ONCE"/s);
    assert.equal(connections.filter(({ socket }) => !socket.destroyed).length, 2);
  });
});

test('an upload whose caller leaves before its form is read gives its slot back', async () => {
  // A slot that is kept stays kept for longer than this test waits.
  await withServer({ UPLOAD_WINDOW_MS: '300000' }, async (server) => {
    const member = await registerMember(system);
    const lock = new pg.Client(system.databaseUrl);
    await lock.connect();
    try {
      // Uploads are counted once they have a slot, and read after that.
      await lock.query('begin; lock table rate_limit');
      const connections = [sendSlip(server, member, SLOW_KB), sendSlip(server, member, SLOW_KB)];
      await eventually(
        'counts of uploads that wait',
        () => lockWaits(system.database),
        (count) => count > 0,
      );
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ closed }) => closed));
    } finally {
      await lock.end();
    }
    const again = () => upload(server, member.token, { bytes: picture });
    await eventually('an upload of the member', again, ({ status }) => status === 200);
  });
});

test('visitors who fill all slots of their lane take none from members', async () => {
  await withServer({ UPLOADS_OF_VISITORS: '3' }, async (server) => {
    const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2060a0' } })
      .png()
      .toBuffer();
    const visitors = [await newVisitor(system), await newVisitor(system), await newVisitor(system)];
    for (const { authorization } of [...visitors, ...visitors]) send(server, CHAT, authorization, 3);
    const member = await newMember(system);
    for (let one = 0; one < 9; one += 1) {
      const { status, body } = await uploadTo(server, 'image', member, { bytes });
      assert.equal(status, 200, JSON.stringify(body));
    }
  });
});

test('visitors of one address hold at most four slots, whatever ids they use', async () => {
  await withServer({}, async (server) => {
    const connections: RawConnection[] = [];
    for (let one = 0; one < 6; one += 1) {
      connections.push(send(server, CHAT, (await newVisitor(system)).authorization, SLOW_KB));
    }
    const fifth = await Promise.race(connections.map(({ closed }) => closed));
    assert.match(fifth, /"REQUEST_LIMIT","detail":"(BUSY|TOO_SLOW)"/);
    const isOpen = () => connections.filter(({ socket }) => !socket.destroyed).length;
    while (isOpen() > 4) await wait(20);
    assert.equal(isOpen(), 4);
  });
});

test('an upload that is refused before it is read is answered, and its connection closes although it goes on sending', async () => {
  await withServer({}, async (server) => {
    const { token } = await registerMember(system);
    for (const [authorization, said, bytes] of [
      ['Bearer nobody', /^HTTP\/1\.1 401 .*"invalid-token"/s, LARGE],
      [`Bearer ${token}`, /^HTTP\/1\.1 400 .*"SLIP_INVALID_FILE","detail":"TOO_LARGE"/s, 20_000_000],
    ] as const) {
      const refused = send(server, SLIP, authorization, SLOW_KB, bytes);
      assert.match(await answered(refused), said);
      assert.match(await refused.closed, /connection: close/i);
    }
  });
});
