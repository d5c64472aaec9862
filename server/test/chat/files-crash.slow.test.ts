import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { type SmallS3, startSmallS3 } from '../harness/small-s3.ts';
import { startSystem, type System } from '../harness/system.ts';
import { readHistory, newVisitorCustomer } from './chat-fixtures.ts';
import { mp4Film, sendFileMessage, uploadFile, uploadFiles } from './file-fixtures.ts';

let system: System;
let s3: SmallS3;
let pngImage: Buffer;
const servers: ServerProcess[] = [];

before(async () => {
  s3 = await startSmallS3();
  system = await startSystem({ simulators: false });
  // From now on the servers are separate processes, which can be killed; they share a bucket.
  await system.app.close();
  pngImage = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
});
after(async () => {
  for (const server of servers) await server.kill();
  await s3.stop();
  await system.stop();
});

async function start(): Promise<System & { kill(): Promise<void> }> {
  const server = await startServerProcess(system, 'warn', undefined, {
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ENDPOINT: s3.url,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  servers.push(server);
  return { ...system, url: server.url, api: apiClient(server.url), kill: () => server.kill() };
}

test('files that no message names, also after a crash, are deleted after a day; files of messages stay', async () => {
  const server = await start();
  const visitor = await newVisitorCustomer(server);
  const sentFile = await uploadFile(server, 'video', visitor, mp4Film());
  assert.equal((await sendFileMessage(server, visitor, sentFile.path, { fileType: 'video' })).status, 200);
  const unsentFile = await uploadFile(server, 'image', visitor, pngImage);
  const { rows } = await system.database.query<{ id: string }>('select conversation_id as id from chat_file limit 1');
  // Leftovers of a server that died before, or after, storing the object.
  const expectedKeys = [
    'chat-file/00000000-0000-7000-8000-000000000001.png',
    'chat-file/00000000-0000-7000-8000-000000000002.png',
  ];
  for (const key of expectedKeys) {
    await system.database.query(
      `insert into chat_file (key, conversation_id, kind, content_type, bytes) values ($1, $2, 'image', 'image/png', 4)`,
      [key, rows[0]?.id],
    );
  }
  s3.objects.set(expectedKeys[0] ?? '', { bytes: Buffer.from('left'), contentType: 'image/png' });
  await system.database.query(`update chat_file set created_at = now() - interval '25 hours'`);
  const fresh = await uploadFile(server, 'image', visitor, pngImage);
  // In the middle of an upload.
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `POST /api/chat/upload-image HTTP/1.1\r\nhost: x\r\nauthorization: ${visitor.authorization}\r\n` +
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n',
  );
  await new Promise<void>((resolve) => void socket.write(Buffer.alloc(400_000, 0xff), () => resolve()));
  await server.kill();
  const nextServer = await start();
  const readRemainingRows = async (): Promise<string[]> => {
    const { rows: storedFiles } = await system.database.query<{ key: string }>(
      'select key from chat_file order by key',
    );
    return storedFiles.map(({ key }) => key);
  };
  // An object is deleted before its row.
  const keys = await waitUntil(readRemainingRows, (fileRows) => fileRows.length === 2, 'rows of files');
  assert.deepEqual(keys, [fresh.path, sentFile.path].toSorted());
  assert.deepEqual([...s3.objects.keys()].toSorted(), keys);
  assertRefused(await sendFileMessage(nextServer, visitor, unsentFile.path), 'NO_DATA', 'NO_FILE', 400);
  assert.equal((await sendFileMessage(nextServer, visitor, fresh.path)).status, 200);
  const history = (await readHistory(nextServer, visitor)).body as { message: { payload: { url: string } } }[];
  for (const [index, type] of ['image/png', 'video/mp4'].entries()) {
    const url = history[index]?.message.payload.url ?? '';
    assert.ok(url.startsWith(s3.url), 'the address of the bucket itself');
    const fileReply = await fetch(url);
    assert.deepEqual([fileReply.status, fileReply.headers.get('content-type')], [200, type]);
  }
  await nextServer.kill();
});

test('a failing storage refuses the upload, which can be repeated, and no message can name the missing file', async () => {
  const server = await start();
  const visitor = await newVisitorCustomer(server);
  for (const fault of ['error-500', 'hang-up'] as const) {
    s3.nextFaults.push(fault);
    const refusedReply = await uploadFiles(server, 'image', visitor, { bytes: pngImage });
    assertRefused(refusedReply, 'REQUEST_LIMIT', 'STORAGE', 503);
    assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
  }
  assert.equal((await uploadFiles(server, 'image', visitor, { bytes: pngImage })).status, 200);
  await server.kill();
});

test('files that the storage fails to delete delay no others, however many they are', async () => {
  const server = await start();
  const visitor = await newVisitorCustomer(server);
  await uploadFile(server, 'image', visitor, pngImage);
  await server.kill();
  const keyOf = (number: number): string => `chat-file/00000000-0000-7000-8000-${String(number).padStart(12, '0')}.png`;
  const stuckKeys = Array.from({ length: 201 }, (_, number) => keyOf(number));
  const otherKeys = Array.from({ length: 30 }, (_, number) => keyOf(1000 + number));
  for (const key of stuckKeys) s3.locked.add(key);
  for (const key of [...stuckKeys, ...otherKeys])
    s3.objects.set(key, { bytes: Buffer.from('left'), contentType: 'image/png' });
  // The first are the oldest.
  await system.database.query(
    `insert into chat_file (key, conversation_id, kind, content_type, bytes, created_at)
     select key, (select conversation_id from chat_file limit 1), 'image', 'image/png', 4,
            now() - interval '2 days' + place * interval '1 second'
       from unnest($1::text[]) with ordinality as k (key, place)`,
    [[...stuckKeys, ...otherKeys]],
  );
  const nextServer = await start();
  const rowsLeft = async (): Promise<number> => {
    const { rows } = await system.database.query<{ left: number }>(
      'select count(*)::int as left from chat_file where key = any($1)',
      [otherKeys],
    );
    return rows[0]?.left ?? 0;
  };
  await waitUntil(rowsLeft, (remaining) => remaining === 0, 'rows of files');
  assert.deepEqual(
    otherKeys.filter((key) => s3.objects.has(key)),
    [],
  );
  const { rows } = await system.database.query<{ key: string }>('select key from chat_file where key = any($1)', [
    stuckKeys,
  ]);
  assert.equal(rows.length, stuckKeys.length, 'they are tried again another time');
  await nextServer.kill();
});
