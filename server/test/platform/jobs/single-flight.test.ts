import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { singleFlight } from '../../../src/platform/jobs/concurrency.ts';

test('runs of one key never overlap; all callers during a run share the next one', async () => {
  const runOnce = singleFlight<number>();
  let runCount = 0;
  let runningCount = 0;
  const finishGate = Promise.withResolvers<void>();
  const countedWork = async (): Promise<number> => {
    runningCount += 1;
    assert.equal(runningCount, 1);
    await finishGate.promise;
    runningCount -= 1;
    return (runCount += 1);
  };
  const first = runOnce('a', countedWork);
  const otherRuns = Array.from({ length: 100 }, () => runOnce('a', countedWork));
  finishGate.resolve();
  assert.equal(await first, 1);
  assert.deepEqual(new Set(await Promise.all(otherRuns)), new Set([2]));
  assert.equal(await runOnce('a', countedWork), 3);
});

test('runs of different keys overlap, and a failed run rejects only its own callers', async () => {
  const runOnce = singleFlight<string>();
  const failingRun = runOnce('a', () => Promise.reject(new Error('no')));
  const waitingRun = runOnce('a', async () => 'yes');
  assert.equal(await runOnce('b', async () => 'at once'), 'at once');
  await assert.rejects(failingRun, /no/);
  assert.equal(await waitingRun, 'yes');
  assert.equal(await runOnce('a', async () => 'again'), 'again');
});
