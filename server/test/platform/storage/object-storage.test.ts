import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileStorage } from '../../../src/platform/storage/file-storage.ts';
import { type ObjectStorage, readAll, StorageUnavailable } from '../../../src/platform/storage/port.ts';
import { s3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { type SmallS3, startSmallS3 } from '../../harness/small-s3.ts';

const BYTES_MAX = 1024 * 1024;
const HOUR_MS = 60 * 60_000;
const bytes = Buffer.from('bytes of an object, \0 and all');

/** Behaviour of every storage. */
async function testStoredObjects(storage: ObjectStorage): Promise<void> {
  assert.equal(await storage.get('slip/none.jpg'), undefined);
  await storage.put('slip/one.jpg', bytes, 'image/jpeg');
  await storage.put('slip/one.jpg', Buffer.concat([bytes, bytes]), 'image/jpeg');
  await storage.put('slip/two.jpg', bytes, 'image/jpeg');
  const firstObject = await storage.get('slip/one.jpg');
  assert.ok(firstObject);
  assert.deepEqual(await readAll(firstObject, BYTES_MAX), Buffer.concat([bytes, bytes]));
  await storage.delete('slip/one.jpg');
  await storage.delete('slip/one.jpg');
  assert.equal(await storage.get('slip/one.jpg'), undefined);
  const secondObject = await storage.get('slip/two.jpg');
  assert.ok(secondObject);
  await assert.rejects(readAll(secondObject, bytes.length - 1), /more than/);
  for (const [from, to] of [
    [0, 0],
    [6, 9],
    [bytes.length - 1, bytes.length - 1],
    [3, 1_000],
  ] as const) {
    const objectRange = await storage.get('slip/two.jpg', { from, to });
    assert.ok(objectRange);
    assert.equal(objectRange.bytes, bytes.subarray(from, to + 1).length);
    assert.deepEqual(await readAll(objectRange, BYTES_MAX), bytes.subarray(from, to + 1));
  }
  await storage.put('slip/none.mp4', Buffer.alloc(0), 'video/mp4');
  const missingObject = await storage.get('slip/none.mp4');
  assert.ok(missingObject);
  assert.equal((await readAll(missingObject, BYTES_MAX)).length, 0);
  for (const key of [
    '../x.jpg',
    'slip/../x.jpg',
    '/etc/x.jpg',
    'slip/x',
    'slip/x.jpg/..',
    'slip/A.jpg',
    'slip/\0.jpg',
    'x.jpg',
  ]) {
    await assert.rejects(storage.put(key, bytes, 'image/jpeg'), /not the key/, key);
    await assert.rejects(storage.get(key), /not the key/, key);
    await assert.rejects(storage.delete(key), /not the key/, key);
  }
}

describe('a folder', () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-objects-'));
  const storage = fileStorage(directory, systemClock);
  after(() => rmSync(directory, { recursive: true, force: true }));

  test('folder storage stores, replaces and deletes objects, and refuses keys that lead outside', async () => {
    await testStoredObjects(storage);
    assert.equal(await storage.link('slip/two.jpg', { seconds: 60, contentType: 'image/jpeg' }), null);
    assert.deepEqual(readdirSync(join(directory, 'incoming')), [], 'nothing half written stays');
  });

  test('folder storage removes incomplete files of a killed process, and keeps those being written', async () => {
    const oldFile = join(directory, 'incoming', 'left-by-a-killed-process');
    writeFileSync(oldFile, 'half');
    utimesSync(oldFile, new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - 2 * HOUR_MS));
    writeFileSync(join(directory, 'incoming', 'being-written'), 'half');
    assert.equal(await storage.sweep(HOUR_MS), 1);
    assert.deepEqual(readdirSync(join(directory, 'incoming')), ['being-written']);
  });

  test('folder storage without write access is unavailable, and stores no object', async () => {
    const blockedDirectory = join(directory, 'blocked');
    mkdirSync(blockedDirectory);
    // A file in place of the folder of incomplete files: no user, not even root, can write below it.
    writeFileSync(join(blockedDirectory, 'incoming'), '');
    const brokenStorage = fileStorage(blockedDirectory, systemClock);
    await assert.rejects(brokenStorage.put('slip/x.jpg', bytes, 'image/jpeg'), StorageUnavailable);
    assert.equal(await brokenStorage.get('slip/x.jpg'), undefined);
  });
});

describe('a bucket', () => {
  let s3: SmallS3;
  let storage: ObjectStorage;
  before(async () => {
    s3 = await startSmallS3();
    storage = s3Storage({ kind: 's3', endpoint: s3.url, ...s3 });
  });
  after(() => s3.stop());

  test('bucket storage stores, replaces and deletes objects, each call signed with its body', async () => {
    await testStoredObjects(storage);
    assert.deepEqual(s3.refused, []);
    assert.equal(s3.objects.get('slip/two.jpg')?.contentType, 'image/jpeg');
  });

  test('bucket storage signs addresses that work without a key, temporarily, for one object, unchanged', async () => {
    const url = await storage.link('slip/two.jpg', { seconds: 60, contentType: 'image/jpeg' });
    assert.ok(url);
    const reply = await fetch(url);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-disposition'), 'inline');
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), bytes);
    assert.equal((await fetch(url.replace('two.jpg', 'one.jpg'))).status, 403);
    assert.equal((await fetch(url.replace('image%2Fjpeg', 'text%2Fhtml'))).status, 403);
    assert.equal((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).status, 403);
    assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
    assert.ok(!url.includes(s3.secretAccessKey));
    const options = { seconds: 7_200, contentType: 'image/jpeg', keepSeconds: 600 };
    const hourStart = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
    const repeatedLink = await storage.link('slip/two.jpg', { ...options, since: hourStart });
    assert.ok(repeatedLink);
    assert.equal(await storage.link('slip/two.jpg', { ...options, since: hourStart }), repeatedLink);
    assert.match(decodeURIComponent(repeatedLink), /response-cache-control=private, ?\+?max-age=600/);
    assert.ok(s3.objects.has('slip/two.jpg'));
  });

  test('bucket storage with a wrong secret stores nothing and is unavailable', async () => {
    const otherStorage = s3Storage({ kind: 's3', endpoint: s3.url, ...s3, secretAccessKey: 'guessed' });
    await assert.rejects(otherStorage.put('slip/x.jpg', bytes, 'image/jpeg'), StorageUnavailable);
    await assert.rejects(otherStorage.get('slip/two.jpg'), StorageUnavailable);
    assert.equal(s3.objects.has('slip/x.jpg'), false);
  });

  test('a bucket that fails, hangs up, breaks off or is missing is unavailable, never "no such object"', async () => {
    for (const fault of ['error-500', 'hang-up'] as const) {
      s3.nextFaults.push(fault);
      await assert.rejects(storage.put('slip/x.jpg', bytes, 'image/jpeg'), StorageUnavailable, fault);
      s3.nextFaults.push(fault);
      await assert.rejects(storage.get('slip/two.jpg'), StorageUnavailable, fault);
    }
    s3.nextFaults.push('cut');
    const cutObject = await storage.get('slip/two.jpg');
    assert.ok(cutObject);
    await assert.rejects(readAll(cutObject, BYTES_MAX), StorageUnavailable);
    const unreachableStorage = s3Storage({ kind: 's3', ...s3, endpoint: 'http://127.0.0.1:9' });
    await assert.rejects(unreachableStorage.get('slip/two.jpg'), StorageUnavailable);
  });
});
