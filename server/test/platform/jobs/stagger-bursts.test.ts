import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staggerBursts } from '../../../src/platform/jobs/concurrency.ts';

test('staggered jobs start in order, one per turn of the event loop, and other work runs between them', async () => {
  const start = staggerBursts(1);
  const order: string[] = [];
  const pendingJobs = Array.from({ length: 5 }, (_, job) => start(async () => order.push(`job ${job}`)));
  const otherWork = (async () => {
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('another');
    }
  })();
  await Promise.all([...pendingJobs, otherWork]);
  assert.deepEqual(
    order.filter((entry) => entry !== 'another'),
    ['job 0', 'job 1', 'job 2', 'job 3', 'job 4'],
  );
  const first = order.indexOf('another');
  assert.ok(first >= 0 && first <= 2, order.join());
  assert.ok(
    order.every((entry, index) => entry === 'another' || order[index + 1] !== 'job 4' || entry !== 'job 3'),
    order.join(),
  );
});

test('a staggered job that fails rejects only its own caller', async () => {
  const start = staggerBursts(1);
  const failingJob = start(() => Promise.reject(new Error('broken')));
  const validJob = start(() => Promise.resolve('fine'));
  await assert.rejects(failingJob, /broken/);
  assert.equal(await validJob, 'fine');
  assert.equal(await start(() => Promise.resolve('later')), 'later');
});
