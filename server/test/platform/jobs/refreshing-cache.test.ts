import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshingCache } from '../../../src/platform/jobs/cache.ts';

/** A source whose replies the test controls; each value is the number of the call. */
function createSource() {
  const pendingLoads: { resolveLoad(): void; rejectLoad(): void }[] = [];
  const loadValue = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const number = pendingLoads.length;
      pendingLoads.push({ resolveLoad: () => resolve(number), rejectLoad: () => reject(new Error('away')) });
    });
  return { asked: pendingLoads, load: loadValue };
}

const FRESH_MS = 1_000;

test('concurrent readers of a cache share one load', async () => {
  const { asked, load } = createSource();
  const readCached = refreshingCache(load, FRESH_MS);
  const pendingReads = [readCached(), readCached(), readCached()];
  asked[0]?.resolveLoad();
  assert.deepEqual(await Promise.all(pendingReads), [0, 0, 0]);
  assert.equal(asked.length, 1);
});

test('a cached value near its maximum age is returned while it is loaded again; an older one is never returned', async () => {
  const { asked, load } = createSource();
  let now = 5_000;
  const readCached = refreshingCache(load, FRESH_MS, () => now);
  const first = readCached();
  asked[0]?.resolveLoad();
  await first;
  now += 699;
  assert.equal(await readCached(), 0);
  assert.equal(asked.length, 1);
  now += 300;
  const renewingRead = readCached();
  assert.equal(asked.length, 2);
  assert.equal(await renewingRead, 0);
  now += FRESH_MS;
  const lateRead = readCached();
  assert.equal(asked.length, 3, 'the question under way has become too old itself');
  asked[2]?.resolveLoad();
  assert.equal(await lateRead, 2);
  asked[1]?.resolveLoad();
  assert.equal(await readCached(), 2, 'an older answer that comes late changes nothing');
});

test('a failed load of a refreshing cache is not cached', async () => {
  const { asked, load } = createSource();
  const readCached = refreshingCache(load, FRESH_MS);
  const failingRead = readCached();
  asked[0]?.rejectLoad();
  await assert.rejects(failingRead, /away/);
  const repeatedRead = readCached();
  asked[1]?.resolveLoad();
  assert.equal(await repeatedRead, 1);
});
