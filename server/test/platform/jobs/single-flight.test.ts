import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { singleFlight } from '../../../src/platform/jobs/concurrency.ts';

test('work of one key runs one at a time; all who ask meanwhile share the next run', async () => {
  const turns = singleFlight<number>();
  let runs = 0;
  let atOnce = 0;
  const gate = Promise.withResolvers<void>();
  const work = async (): Promise<number> => {
    atOnce += 1;
    assert.equal(atOnce, 1);
    await gate.promise;
    atOnce -= 1;
    return (runs += 1);
  };
  const first = turns('a', work);
  const others = Array.from({ length: 100 }, () => turns('a', work));
  gate.resolve();
  assert.equal(await first, 1);
  assert.deepEqual(new Set(await Promise.all(others)), new Set([2]));
  assert.equal(await turns('a', work), 3);
});

test('keys do not wait for each other, and a failure rejects only its own callers', async () => {
  const turns = singleFlight<string>();
  const failing = turns('a', () => Promise.reject(new Error('no')));
  const waiting = turns('a', async () => 'yes');
  assert.equal(await turns('b', async () => 'at once'), 'at once');
  await assert.rejects(failing, /no/);
  assert.equal(await waiting, 'yes');
  assert.equal(await turns('a', async () => 'again'), 'again');
});
