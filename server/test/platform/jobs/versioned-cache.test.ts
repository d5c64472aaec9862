import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { versionedCache } from '../../../src/platform/jobs/cache.ts';

test('concurrent readers of a versioned cache load a value once per version', async () => {
  let [version, loadCount] = ['a', 0];
  const readCached = versionedCache(
    async () => version,
    async () => (loadCount += 1),
  );
  assert.deepEqual(await Promise.all([readCached(), readCached(), readCached()]), [1, 1, 1]);
  version = 'b';
  assert.deepEqual(await Promise.all([readCached(), readCached()]), [2, 2]);
  version = 'a';
  assert.equal(await readCached(), 3, 'a version that was lost and came back is loaded again');
});

test('a versioned cache keeps no failed load, and returns no old value while the version is unknown', async () => {
  let [isAway, loadCount] = [false, 0];
  const readCached = versionedCache(
    () => (isAway ? Promise.reject(new Error('no version')) : Promise.resolve('a')),
    async () => {
      loadCount += 1;
      if (loadCount === 1) throw new Error('away');
      return 'loaded';
    },
  );
  await assert.rejects(readCached(), /away/);
  assert.equal(await readCached(), 'loaded');
  isAway = true;
  await assert.rejects(readCached(), /no version/);
  isAway = false;
  assert.equal(await readCached(), 'loaded');
  assert.equal(loadCount, 2);
});

test('a load that hangs delays its own callers, not those a second later', async () => {
  let [nowMs, loadCount] = [0, 0];
  const hangingLoad = Promise.withResolvers<number>();
  const readCached = versionedCache(
    async () => 'a',
    async () => {
      loadCount += 1;
      return loadCount === 1 ? hangingLoad.promise : loadCount;
    },
    () => nowMs,
  );
  const first = readCached();
  await turn();
  nowMs = 999;
  const joinedRead = readCached();
  await turn();
  nowMs = 1_000;
  assert.equal(await readCached(), 2);
  hangingLoad.reject(new Error('lost'));
  await assert.rejects(first, /lost/);
  await assert.rejects(joinedRead, /lost/);
  assert.equal(await readCached(), 2, 'the end of the lost load does not drop what was loaded since');
  nowMs = 10_000;
  assert.equal(await readCached(), 2, 'what is loaded is kept, however old');
});
