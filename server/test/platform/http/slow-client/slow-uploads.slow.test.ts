import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { newMemberCustomer, newVisitorCustomer } from '../../../chat/chat-fixtures.ts';
import { uploadFiles } from '../../../chat/file-fixtures.ts';
import { slipImage, listSlips, uploadSlips } from '../../../deposit/slip/slip-fixtures.ts';
import { assertRefused } from '../../../harness/assert-refused.ts';
import { waitUntilResult } from '../../../harness/games.ts';
import { countLockWaits } from '../../../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../../../harness/members.ts';
import { setRateLimits, openSlipDeposits } from '../../../harness/operator.ts';
import { openRawConnection, type RawConnection, writeSlowly } from '../../../harness/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';

const LARGE_BYTES = 9_000_000;
const MANY_REQUESTS = 100_000;
/** Kilobytes per second and connection: just above the server's minimum. */
const SLOW_KB = 1.3;
const CHUNKS_PER_SECOND = 4;
/** More than the first five checks of two uploads. */
const BOTH_SPEEDS_KNOWN_MS = 7_000;

let system: System;
let image: Buffer;
const openConnections: RawConnection[] = [];

before(async () => {
  system = await startSystem();
  image = await slipImage('a code of something else');
  const names = ['slip.member', 'slip.member.day', 'slip.address', 'chat.file.customer', 'chat.file.customer.day'];
  const raisedLimits = ['chat.file.address', 'chat.file.visitors.day'];
  await setRateLimits(system, Object.fromEntries([...names, ...raisedLimits].map((name) => [name, MANY_REQUESTS])));
  await openSlipDeposits(system);
});
after(() => system.stop());

/** Runs against a server process with these limits; closes every slow upload afterwards. */
async function runWithServer(
  environment: Readonly<Record<string, string>>,
  runTest: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await startServerProcess(system, 'warn', undefined, environment);
  try {
    await runTest(server);
  } finally {
    for (const { socket } of openConnections.splice(0)) socket.destroy();
    await server.stop();
  }
}

const SLIP_PATH = 'wallet/slip';
const CHAT_PATH = 'chat/upload-image';

/** Starts an endless upload at this rate. */
function sendUpload(
  { url }: ServerProcess,
  path: string,
  authorization: string,
  kilobytes: number,
  bytes = LARGE_BYTES,
): RawConnection {
  const connection = openRawConnection(url);
  openConnections.push(connection);
  connection.socket.write(
    `POST /api/${path} HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: ${authorization}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${bytes}\r\n\r\n` +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n\xff\xd8\xff',
    'latin1',
  );
  writeSlowly(connection.socket, Buffer.alloc((kilobytes * 1_000) / CHUNKS_PER_SECOND), 1_000 / CHUNKS_PER_SECOND);
  return connection;
}

const sendSlip = (server: ServerProcess, { token }: TestMember, kilobytes: number): RawConnection =>
  sendUpload(server, SLIP_PATH, `Bearer ${token}`, kilobytes);

/** Waits until an upload of the member is counted, which happens once it has a slot. */
async function hasSlot({ id }: TestMember): Promise<void> {
  const count = () => system.database.query('select from rate_limit where key = $1', [`slip.member:${id}`]);
  await waitUntilResult('counted uploads of a member', count, ({ rowCount }) => rowCount === 1);
}

/** Waits for a reply; the connection keeps sending. */
async function waitForReply(connection: RawConnection): Promise<string> {
  while (connection.receivedText() === '' && !connection.socket.destroyed) await wait(20);
  return connection.receivedText();
}

test('an upload that is too slow is aborted with an error code and leaves no file [R-SLIP-02]', async () => {
  await runWithServer({ UPLOAD_WINDOW_MS: '2000' }, async (server) => {
    const { token } = await registerMember(system);
    const reply = await sendUpload(server, SLIP_PATH, `Bearer ${token}`, 0.02).closedWithText;
    assert.match(reply, /^HTTP\/1\.1 503 /);
    assert.match(reply, /"SLIP_UPLOAD_FAIL","detail":"TOO_SLOW"/);
    assert.deepEqual(await listSlips(system, token), []);
  });
});

test('four members with two slow uploads each block no other member [R-SLIP-02]', async () => {
  await runWithServer({}, async (server) => {
    const slowUploads: RawConnection[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const cheatingMember = await registerMember(system);
      slowUploads.push(sendSlip(server, cheatingMember, SLOW_KB), sendSlip(server, cheatingMember, SLOW_KB));
    }
    const { token } = await registerMember(system);
    for (let one = 0; one < 8; one += 1) {
      const { status, body } = await uploadSlips(server, token, { bytes: image });
      assert.equal(status, 200, JSON.stringify(body));
    }
    assert.ok(
      slowUploads.every(({ socket }) => !socket.destroyed),
      'and there was room for both',
    );
  });
});

test('when all upload slots are taken the slowest upload is aborted, and its connection closed although it keeps sending', async () => {
  await runWithServer({ UPLOADS_OF_MEMBERS: '2' }, async (server) => {
    const [slowMember, fastMember, honestMember] = [
      await registerMember(system),
      await registerMember(system),
      await registerMember(system),
    ];
    // The server aborts the slowest upload once its rate is known, after a few seconds. The slow one starts first:
    // otherwise the fast one's rate alone would be known for a moment, and it would be aborted.
    const slowUpload = sendSlip(server, slowMember, SLOW_KB);
    await hasSlot(slowMember);
    const fastUpload = sendSlip(server, fastMember, 40);
    await hasSlot(fastMember);
    const earlyReply = await uploadSlips(server, honestMember.token, { bytes: image });
    if (earlyReply.status !== 200) assertRefused(earlyReply, 'SLIP_UPLOAD_FAIL', 'BUSY');
    await wait(BOTH_SPEEDS_KNOWN_MS);
    const sendAgain = () => uploadSlips(server, honestMember.token, { bytes: image });
    await waitUntilResult('an upload of the honest member', sendAgain, ({ status }) => status === 200);
    assert.equal(fastUpload.receivedText(), '', 'the faster one keeps its slot');
    assert.match(await slowUpload.closedWithText, /"SLIP_UPLOAD_FAIL","detail":"TOO_SLOW"/);
    assert.equal(fastUpload.receivedText(), '', 'the faster one keeps its slot');
  });
});

test('one member has at most two upload slots, slips and chat files together', async () => {
  await runWithServer({}, async (server) => {
    const member = await registerMember(system);
    const authorization = `Bearer ${member.token}`;
    const connections = [SLIP_PATH, CHAT_PATH, SLIP_PATH, CHAT_PATH].map((uploadPath) =>
      sendUpload(server, uploadPath, authorization, SLOW_KB),
    );
    const receivedReplies: string[] = [];
    // The network determines which two uploads come first.
    for (const { closedWithText } of connections) void closedWithText.then((reply) => receivedReplies.push(reply));
    while (receivedReplies.length < 2) await wait(20);
    for (const reply of receivedReplies) assert.match(reply, /^HTTP\/1\.1 429 .*"UPLOADS_AT_ONCE"/s);
    assert.equal(connections.filter(({ socket }) => !socket.destroyed).length, 2);
  });
});

test('an upload whose caller disconnects before its form is read frees its slot', async () => {
  // A used slot stays used for longer than this test.
  await runWithServer({ UPLOAD_WINDOW_MS: '300000' }, async (server) => {
    const member = await registerMember(system);
    const lock = new pg.Client(system.databaseUrl);
    await lock.connect();
    try {
      // Uploads are counted once they have a slot, and read afterwards.
      await lock.query('begin; lock table rate_limit');
      const connections = [sendSlip(server, member, SLOW_KB), sendSlip(server, member, SLOW_KB)];
      await waitUntilResult(
        'counts of uploads that wait',
        () => countLockWaits(system.database),
        (count) => count > 0,
      );
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ closedWithText }) => closedWithText));
    } finally {
      await lock.end();
    }
    const uploadAgain = () => uploadSlips(server, member.token, { bytes: image });
    await waitUntilResult('an upload of the member', uploadAgain, ({ status }) => status === 200);
  });
});

test('visitors who fill all upload slots of visitors take none from members', async () => {
  await runWithServer({ UPLOADS_OF_VISITORS: '3' }, async (server) => {
    const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2060a0' } })
      .png()
      .toBuffer();
    const visitors = [
      await newVisitorCustomer(system),
      await newVisitorCustomer(system),
      await newVisitorCustomer(system),
    ];
    for (const { authorization } of [...visitors, ...visitors]) sendUpload(server, CHAT_PATH, authorization, 3);
    const member = await newMemberCustomer(system);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const { status, body } = await uploadFiles(server, 'image', member, { bytes });
      assert.equal(status, 200, JSON.stringify(body));
    }
  });
});

test('visitors at one address have at most four upload slots, whatever ids they use', async () => {
  await runWithServer({}, async (server) => {
    const connections: RawConnection[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      connections.push(sendUpload(server, CHAT_PATH, (await newVisitorCustomer(system)).authorization, SLOW_KB));
    }
    const fifthReply = await Promise.race(connections.map(({ closedWithText }) => closedWithText));
    assert.match(fifthReply, /"REQUEST_LIMIT","detail":"(BUSY|TOO_SLOW)"/);
    const isOpen = () => connections.filter(({ socket }) => !socket.destroyed).length;
    while (isOpen() > 4) await wait(20);
    assert.equal(isOpen(), 4);
  });
});

test('an upload refused before reading gets a reply, and its connection is closed although it keeps sending', async () => {
  await runWithServer({}, async (server) => {
    const { token } = await registerMember(system);
    for (const [authorization, expectedReply, bytes] of [
      ['Bearer nobody', /^HTTP\/1\.1 401 .*"invalid-token"/s, LARGE_BYTES],
      [`Bearer ${token}`, /^HTTP\/1\.1 400 .*"SLIP_INVALID_FILE","detail":"TOO_LARGE"/s, 20_000_000],
    ] as const) {
      const refusedUpload = sendUpload(server, SLIP_PATH, authorization, SLOW_KB, bytes);
      assert.match(await waitForReply(refusedUpload), expectedReply);
      assert.match(await refusedUpload.closedWithText, /connection: close/i);
    }
  });
});
