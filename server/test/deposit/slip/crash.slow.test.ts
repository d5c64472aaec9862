import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '../../../src/ledger/audit.ts';
import { apiClient } from '../../harness/api-client.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { setRateLimits, openSlipDeposits } from '../../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { type SmallS3, startSmallS3 } from '../../harness/small-s3.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { killServerWhilePosting, CRASH_MOMENTS } from '../crash-while-posting.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  waitForSlipEnd,
  makeSlipsDue,
  slipImage,
  sendSlip,
  listSlips,
  transferWithSlip,
  waitForSlipRow,
  uploadSlips,
} from './slip-fixtures.ts';

let system: System;
let member: TestMember;
let files: string;
let s3: SmallS3;
const servers: ServerProcess[] = [];

before(async () => {
  s3 = await startSmallS3();
  files = join(mkdtempSync(join(tmpdir(), 'krapao-slips-')), 'files');
  system = await startSystem({ objectStorage: { kind: 'files', directory: files } });
  await setRateLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await openSlipDeposits(system);
  member = await registerMember(system);
});
after(async () => {
  for (const server of servers) await server.kill();
  await s3.stop();
  await system.stop();
  rmSync(join(files, '..'), { recursive: true, force: true });
});

/** Servers as separate processes, which can be killed; they share a bucket. */
async function start(): Promise<ServerProcess> {
  await system.app.close();
  const server = await startServerProcess(system, 'warn', undefined, {
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ENDPOINT: s3.url,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  servers.push(server);
  return server;
}

/** The system, called through one of the servers. */
const systemAt = (server: ServerProcess) => ({ ...system, api: apiClient(server.url) });

const listFilesIn = (folder: string): string[] => {
  try {
    return readdirSync(join(files, folder));
  } catch {
    return [];
  }
};

test('a full disk refuses an upload of a slip without a trace, and the next one is accepted', async () => {
  const image = await slipImage('a code');
  // The folder of partially written files is not writable.
  rmSync(join(files, 'incoming'), { recursive: true, force: true });
  rmSync(files, { recursive: true, force: true });
  writeFileSync(files, '');
  const before = await listSlips(system, member.token);
  assertRefused(await uploadSlips(system, member.token, { bytes: image }), 'SLIP_UPLOAD_FAIL', 'STORAGE');
  assert.deepEqual(await listSlips(system, member.token), before);
  rmSync(files);
  const slip = await sendSlip(system, member.token, image);
  assert.equal((await waitForSlipEnd(system, member.token, slip)).note, 'INVALID_SLIP');
  assert.deepEqual(listFilesIn('incoming'), []);
  // The uploaded file is deleted shortly after the list shows the outcome.
  await waitUntil(
    async () => listFilesIn('slip-upload'),
    (names) => names.length === 0,
    'files that were sent',
  );
});

test('a server killed during an upload leaves no slip, and unnamed files are deleted', async () => {
  const server = await start();
  const { token } = await registerMember(systemAt(server));
  const slip = await sendSlip(server, token, await slipImage('a code'));
  await waitForSlipEnd(systemAt(server), token, slip);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `POST /api/wallet/slip HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: Bearer ${token}\r\n` +
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n',
  );
  await new Promise<void>((resolve) => {
    socket.write(Buffer.alloc(400_000, 0xff), () => resolve());
  });
  // The leftover of a server that died between storing an object and its slip row.
  const key = 'slip-upload/left-by-a-crash.bin';
  s3.objects.set(key, { bytes: Buffer.from('left'), contentType: '' });
  await system.database.query(`insert into slip_file (key, created_at) values ($1, now() - interval '2 hours')`, [key]);
  await system.database.query(`update slip_file set created_at = now() - interval '2 hours'`);
  await server.kill();
  const nextServer = await start();
  await waitUntil(
    async () => [...s3.objects.keys()],
    (keys) => !keys.includes(key),
    'objects',
  );
  const { rows } = await system.database.query<{ key: string }>(
    'select picture_key as key from slip where picture_key is not null',
  );
  assert.deepEqual(
    (await listSlips(systemAt(nextServer), token)).map(({ reference }) => reference),
    [slip.reference],
  );
  assert.ok(
    rows.some((row) => s3.objects.has(row.key)),
    'the picture of a slip stays',
  );
  const link = (await listSlips(systemAt(nextServer), token))[0]?.link ?? '';
  assert.equal((await fetch(link)).status, 200, 'and is seen under the address that the bucket gives');
  const url = await systemAt(nextServer).api('GET /api/statement/slip/reference/{reference}', {
    token,
    params: { reference: slip.reference },
  });
  assert.equal((await fetch(url.body.url)).headers.get('content-type'), 'image/jpeg');
  await nextServer.kill();
});

test('a slip whose file is missing in the storage is UPLOADED_FILE_NOT_EXIST; an unreachable storage is waited for [R-SLIP-02]', async () => {
  const server = await start();
  const { token } = await registerMember(systemAt(server));
  // The storage is unreachable from the first read of the file until its deletion.
  s3.nextFaults.push('none', ...Array.from({ length: 100 }, () => 'error-500' as const));
  const slip = await sendSlip(server, token, await slipImage('a code'));
  await waitForSlipRow(system, slip.reference, ({ tries }) => tries > 0);
  for (const key of s3.objects.keys()) if (key.startsWith('slip-upload/')) s3.objects.delete(key);
  s3.nextFaults.length = 0;
  await makeSlipsDue(system);
  assert.equal((await waitForSlipEnd(systemAt(server), token, slip)).note, 'UPLOADED_FILE_NOT_EXIST');
  await server.kill();
});

test('slips whose server is killed during their processing are credited by the next server, once [R-SLIP-03]', async () => {
  let server = await start();
  const ownMember = await registerMember(systemAt(server));
  const references: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { image } = await transferWithSlip(system, ownMember, { amount: `${100 + round}.00` });
    references.push((await sendSlip(server, ownMember.token, image)).reference);
    // Between the reading, the look-up and the credit.
    await wait(round * 200);
    await server.kill();
    await makeSlipsDue(system);
    server = await start();
  }
  for (const reference of references) {
    const { status } = await waitForSlipEnd(systemAt(server), ownMember.token, { reference });
    assert.equal(status, 'SUCCESS');
  }
  assert.equal((await systemAt(server).api('GET /api/wallet', { token: ownMember.token })).body.wallet.amount, 303);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

for (const crash of CRASH_MOMENTS) {
  test(`a slip whose server dies ${crash.moment} is credited once [R-SLIP-03]`, async () => {
    for (const server of servers) await server.kill();
    const server = await start();
    const ownMember = await registerMember(systemAt(server));
    const { image } = await transferWithSlip(system, ownMember, { amount: '150.00' });
    let reference = '';
    await killServerWhilePosting(system, server, crash, async () => {
      ({ reference } = await sendSlip(server, ownMember.token, image));
    });
    await makeSlipsDue(system);
    const nextServer = systemAt(await start());
    assert.equal((await waitForSlipEnd(nextServer, ownMember.token, { reference })).status, 'SUCCESS');
    assert.equal((await nextServer.api('GET /api/wallet', { token: ownMember.token })).body.wallet.amount, 150);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });
}

test('files that the storage fails to delete delay no others, however many they are', async () => {
  const keyOf = (number: number): string => `slip-upload/left-${String(number).padStart(4, '0')}.bin`;
  const stuckKeys = Array.from({ length: 201 }, (_, number) => keyOf(number));
  const otherKeys = Array.from({ length: 30 }, (_, number) => keyOf(1000 + number));
  for (const key of stuckKeys) s3.locked.add(key);
  for (const key of otherKeys) s3.objects.set(key, { bytes: Buffer.from('left'), contentType: '' });
  // Oldest first.
  await system.database.query(
    `insert into slip_file (key, created_at)
     select key, now() - interval '2 days' + place * interval '1 second' from unnest($1::text[]) with ordinality as k (key, place)`,
    [[...stuckKeys, ...otherKeys]],
  );
  const server = await start();
  const rowsOf = async (keys: string[]): Promise<number> => {
    const { rows } = await system.database.query('select from slip_file where key = any($1)', [keys]);
    return rows.length;
  };
  await waitUntil(
    () => rowsOf(otherKeys),
    (remaining) => remaining === 0,
    'rows of objects',
  );
  assert.deepEqual(
    otherKeys.filter((key) => s3.objects.has(key)),
    [],
  );
  assert.equal(await rowsOf(stuckKeys), stuckKeys.length, 'they are tried again another time');
  await server.kill();
});
