import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionedCache } from '../../../src/platform/jobs/versioned-cache.ts';

test('a value is loaded once for each version, however many ask', async () => {
  let [version, loads] = ['a', 0];
  const ask = versionedCache(
    async () => version,
    async () => (loads += 1),
  );
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  version = 'b';
  assert.deepEqual(await Promise.all([ask(), ask()]), [2, 2]);
  version = 'a';
  assert.equal(await ask(), 3, 'a version that was lost and came back is loaded again');
});

test('a failed load is not kept, and an unknown version answers nothing old', async () => {
  let [isAway, loads] = [false, 0];
  const ask = versionedCache(
    () => (isAway ? Promise.reject(new Error('no version')) : Promise.resolve('a')),
    async () => {
      loads += 1;
      if (loads === 1) throw new Error('away');
      return 'loaded';
    },
  );
  await assert.rejects(ask(), /away/);
  assert.equal(await ask(), 'loaded');
  isAway = true;
  await assert.rejects(ask(), /no version/);
  isAway = false;
  assert.equal(await ask(), 'loaded');
  assert.equal(loads, 2);
});
