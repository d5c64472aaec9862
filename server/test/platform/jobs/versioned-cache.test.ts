import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { versionedCache } from '../../../src/platform/jobs/cache.ts';

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

test('a load that hangs holds up those who have asked, not those who ask a second later', async () => {
  let [nowMs, loads] = [0, 0];
  const hanging = Promise.withResolvers<number>();
  const ask = versionedCache(
    async () => 'a',
    async () => {
      loads += 1;
      return loads === 1 ? hanging.promise : loads;
    },
    () => nowMs,
  );
  const first = ask();
  await turn();
  nowMs = 999;
  const joined = ask();
  await turn();
  nowMs = 1_000;
  assert.equal(await ask(), 2);
  hanging.reject(new Error('lost'));
  await assert.rejects(first, /lost/);
  await assert.rejects(joined, /lost/);
  assert.equal(await ask(), 2, 'the end of the lost load does not drop what was loaded since');
  nowMs = 10_000;
  assert.equal(await ask(), 2, 'what is loaded is kept, however old');
});
