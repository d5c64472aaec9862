import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBulkhead } from '../../../src/platform/http/bulkhead.ts';

type BulkheadJob = { resolveWith: (value: string) => void };

/** Jobs whose results the test controls. The result "silence" means a missing reply. */
function createBulkheadTest(options: { width?: number; waitMs?: number; silences?: number } = {}) {
  let time = 0;
  const startedJobs: BulkheadJob[] = [];
  const bulkhead = createBulkhead(
    { width: 2, waitMs: 60_000, silences: 3, probeEveryMs: 1_000, ...options },
    (reply) => reply === 'silence',
    () => time,
  );
  const sendJob = () =>
    bulkhead(() => new Promise<string>((resolveJob) => startedJobs.push({ resolveWith: resolveJob })));
  const waitForImmediate = () => new Promise((resolve) => setImmediate(resolve));
  const sendSilentJob = async () => {
    for (let round = 0; round < 3; round += 1) {
      const pendingJob = sendJob();
      await waitForImmediate();
      startedJobs.at(-1)?.resolveWith('silence');
      await pendingJob;
    }
  };
  return {
    ask: sendJob,
    started: startedJobs,
    settle: waitForImmediate,
    silence: sendSilentJob,
    pass: (ms: number) => (time += ms),
  };
}

test('a bulkhead runs a limited number of jobs; the others follow in order as slots become free', async () => {
  const { ask, started, settle } = createBulkheadTest();
  const pendingJobs = [ask(), ask(), ask(), ask()];
  await settle();
  assert.equal(started.length, 2);
  started[1]?.resolveWith('b');
  await settle();
  assert.equal(started.length, 3);
  started[0]?.resolveWith('a');
  await settle();
  started[2]?.resolveWith('c');
  started[3]?.resolveWith('d');
  assert.deepEqual(await Promise.all(pendingJobs), ['a', 'b', 'c', 'd']);
});

test('a bulkhead job that waits too long for a slot is dropped and never run', async () => {
  const { ask, started, settle } = createBulkheadTest({ width: 1, waitMs: 20 });
  const first = ask();
  const second = ask();
  assert.equal(await second, undefined);
  started[0]?.resolveWith('a');
  assert.equal(await first, 'a');
  await settle();
  assert.equal(started.length, 1);
  const third = ask();
  await settle();
  started[1]?.resolveWith('c');
  assert.equal(await third, 'c', 'the place is free again');
});

test('after several silences a bulkhead admits only occasional probes; a reply opens it', async () => {
  const { ask, started, settle, silence, pass } = createBulkheadTest();
  await silence();
  assert.equal(await ask(), undefined);
  assert.equal(started.length, 3);
  pass(1_000);
  const probeJob = ask();
  assert.equal(await ask(), undefined, 'one probe at a time');
  await settle();
  started[3]?.resolveWith('here');
  assert.equal(await probeJob, 'here');
  const pendingJobs = [ask(), ask()];
  await settle();
  assert.equal(started.length, 6);
  started[4]?.resolveWith('x');
  started[5]?.resolveWith('y');
  assert.deepEqual(await Promise.all(pendingJobs), ['x', 'y']);
});

test("a reply resets the bulkhead's count of silences", async () => {
  const { ask, started, settle } = createBulkheadTest();
  for (const outcome of ['silence', 'silence', 'here', 'silence', 'silence']) {
    const pendingJob = ask();
    await settle();
    started.at(-1)?.resolveWith(outcome);
    assert.equal(await pendingJob, outcome);
  }
  const openJob = ask();
  await settle();
  assert.equal(started.length, 6);
  started[5]?.resolveWith('here');
  await openJob;
});

test('queued jobs of a bulkhead are dropped as soon as its party counts as down', async () => {
  const { ask, started, settle } = createBulkheadTest({ width: 1, silences: 1 });
  const [first, second, third] = [ask(), ask(), ask()];
  await settle();
  started[0]?.resolveWith('silence');
  assert.deepEqual(await Promise.all([first, second, third]), ['silence', undefined, undefined]);
  assert.equal(started.length, 1);
});

test('a bulkhead job that throws counts as a silence and frees its slot', async () => {
  const bulkhead = createBulkhead(
    { width: 1, waitMs: 1_000, silences: 2, probeEveryMs: 1_000 },
    () => false,
    () => 0,
  );
  await assert.rejects(
    bulkhead(() => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await bulkhead(() => Promise.resolve('fine')), 'fine');
});
