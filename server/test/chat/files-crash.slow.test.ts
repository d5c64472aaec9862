import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { until } from '../deposit/qrcode/qr-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { assertRefused } from '../harness/refused.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { type SmallS3, startSmallS3 } from '../harness/small-s3.ts';
import { startSystem, type System } from '../harness/system.ts';
import { historyOf, newVisitor } from './chat-world.ts';
import { film, sendFile, uploaded, uploadTo } from './file-world.ts';

let system: System;
let s3: SmallS3;
let png: Buffer;
const servers: ServerProcess[] = [];

before(async () => {
  s3 = await startSmallS3();
  system = await startSystem({ simulators: false });
  // From here on the servers are processes that can be killed; they share a bucket.
  await system.app.close();
  png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
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

test('what no message names is swept after a day, what a crash has left too; files of messages stay', async () => {
  const server = await start();
  const visitor = await newVisitor(server);
  const sent = await uploaded(server, 'video', visitor, film());
  assert.equal((await sendFile(server, visitor, sent.path, { fileType: 'video' })).status, 200);
  const unsent = await uploaded(server, 'image', visitor, png);
  const { rows } = await system.database.query<{ id: string }>('select conversation_id as id from chat_file limit 1');
  // What a server can leave that dies before, or after, the object was put.
  const left = [
    'chat-file/00000000-0000-7000-8000-000000000001.png',
    'chat-file/00000000-0000-7000-8000-000000000002.png',
  ];
  for (const key of left) {
    await system.database.query(
      `insert into chat_file (key, conversation_id, kind, content_type, bytes) values ($1, $2, 'image', 'image/png', 4)`,
      [key, rows[0]?.id],
    );
  }
  s3.objects.set(left[0] ?? '', { bytes: Buffer.from('left'), contentType: 'image/png' });
  await system.database.query(`update chat_file set created_at = now() - interval '25 hours'`);
  const fresh = await uploaded(server, 'image', visitor, png);
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
  const next = await start();
  const rowsLeft = async (): Promise<string[]> => {
    const { rows: kept } = await system.database.query<{ key: string }>('select key from chat_file order by key');
    return kept.map(({ key }) => key);
  };
  // An object goes before its row.
  const keys = await until(rowsLeft, (found) => found.length === 2, 'rows of files');
  assert.deepEqual(keys, [fresh.path, sent.path].toSorted());
  assert.deepEqual([...s3.objects.keys()].toSorted(), keys);
  assertRefused(await sendFile(next, visitor, unsent.path), 'NO_DATA', 'NO_FILE', 400);
  assert.equal((await sendFile(next, visitor, fresh.path)).status, 200);
  const history = (await historyOf(next, visitor)).body as { message: { payload: { url: string } } }[];
  for (const [index, type] of ['image/png', 'video/mp4'].entries()) {
    const url = history[index]?.message.payload.url ?? '';
    assert.ok(url.startsWith(s3.url), 'the address of the bucket itself');
    const shown = await fetch(url);
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, type]);
  }
  await next.kill();
});

test('a storage that fails refuses the upload, to be tried again, and no message can name what was not kept', async () => {
  const server = await start();
  const visitor = await newVisitor(server);
  for (const fault of ['error-500', 'hang-up'] as const) {
    s3.misbehave.push(fault);
    const refused = await uploadTo(server, 'image', visitor, { bytes: png });
    assertRefused(refused, 'REQUEST_LIMIT', 'STORAGE', 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  }
  assert.equal((await uploadTo(server, 'image', visitor, { bytes: png })).status, 200);
  await server.kill();
});

test('files that the storage doesn’t delete delay none of the others, however many they are', async () => {
  const server = await start();
  const visitor = await newVisitor(server);
  await uploaded(server, 'image', visitor, png);
  await server.kill();
  const keyOf = (number: number): string => `chat-file/00000000-0000-7000-8000-${String(number).padStart(12, '0')}.png`;
  const stuck = Array.from({ length: 201 }, (_, number) => keyOf(number));
  const others = Array.from({ length: 30 }, (_, number) => keyOf(1000 + number));
  for (const key of stuck) s3.locked.add(key);
  for (const key of [...stuck, ...others])
    s3.objects.set(key, { bytes: Buffer.from('left'), contentType: 'image/png' });
  // The first are the oldest.
  await system.database.query(
    `insert into chat_file (key, conversation_id, kind, content_type, bytes, created_at)
     select key, (select conversation_id from chat_file limit 1), 'image', 'image/png', 4,
            now() - interval '2 days' + place * interval '1 second'
       from unnest($1::text[]) with ordinality as k (key, place)`,
    [[...stuck, ...others]],
  );
  const next = await start();
  const rowsLeft = async (): Promise<number> => {
    const { rows } = await system.database.query<{ left: number }>(
      'select count(*)::int as left from chat_file where key = any($1)',
      [others],
    );
    return rows[0]?.left ?? 0;
  };
  await until(rowsLeft, (left) => left === 0, 'rows of files');
  assert.deepEqual(
    others.filter((key) => s3.objects.has(key)),
    [],
  );
  const { rows } = await system.database.query<{ key: string }>('select key from chat_file where key = any($1)', [
    stuck,
  ]);
  assert.equal(rows.length, stuck.length, 'they are tried again another time');
  await next.kill();
});
