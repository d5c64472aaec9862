import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staggerBursts } from '../../../src/platform/jobs/concurrency.ts';

test('a crowd of jobs starts one in a turn of the event loop, in order, and others have their turn in between', async () => {
  const start = staggerBursts(1);
  const order: string[] = [];
  const jobs = Array.from({ length: 5 }, (_, job) => start(async () => order.push(`job ${job}`)));
  const other = (async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('another');
    }
  })();
  await Promise.all([...jobs, other]);
  assert.deepEqual(
    order.filter((one) => one !== 'another'),
    ['job 0', 'job 1', 'job 2', 'job 3', 'job 4'],
  );
  const first = order.indexOf('another');
  assert.ok(first >= 0 && first <= 2, order.join());
  assert.ok(
    order.every((one, at) => one === 'another' || order[at + 1] !== 'job 4' || one !== 'job 3'),
    order.join(),
  );
});

test('a job that fails rejects only its own caller', async () => {
  const start = staggerBursts(1);
  const failing = start(() => Promise.reject(new Error('broken')));
  const fine = start(() => Promise.resolve('fine'));
  await assert.rejects(failing, /broken/);
  assert.equal(await fine, 'fine');
  assert.equal(await start(() => Promise.resolve('later')), 'later');
});
