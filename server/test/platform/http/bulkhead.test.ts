import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBulkhead } from '../../../src/platform/http/bulkhead.ts';

type Job = { answer: (value: string) => void };

/** Jobs that answer on command, at a party whose silence is the word "silence". */
function world(options: { width?: number; waitMs?: number; silences?: number } = {}) {
  let time = 0;
  const started: Job[] = [];
  const bulkhead = createBulkhead(
    { width: 2, waitMs: 60_000, silences: 3, probeEveryMs: 1_000, ...options },
    (answer) => answer === 'silence',
    () => time,
  );
  const ask = () => bulkhead(() => new Promise<string>((answer) => started.push({ answer })));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const silence = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const asked = ask();
      await settle();
      started.at(-1)?.answer('silence');
      await asked;
    }
  };
  return { ask, started, settle, silence, pass: (ms: number) => (time += ms) };
}

test('only so many are under way; the others follow in order as places become free', async () => {
  const { ask, started, settle } = world();
  const asked = [ask(), ask(), ask(), ask()];
  await settle();
  assert.equal(started.length, 2);
  started[1]?.answer('b');
  await settle();
  assert.equal(started.length, 3);
  started[0]?.answer('a');
  await settle();
  started[2]?.answer('c');
  started[3]?.answer('d');
  assert.deepEqual(await Promise.all(asked), ['a', 'b', 'c', 'd']);
});

test('a job that waits too long for a slot is dropped and never run', async () => {
  const { ask, started, settle } = world({ width: 1, waitMs: 20 });
  const first = ask();
  const second = ask();
  assert.equal(await second, undefined);
  started[0]?.answer('a');
  assert.equal(await first, 'a');
  await settle();
  assert.equal(started.length, 1);
  const third = ask();
  await settle();
  started[1]?.answer('c');
  assert.equal(await third, 'c', 'the place is free again');
});

test('after silences in a row only a probe now and then is let through; an answer opens it', async () => {
  const { ask, started, settle, silence, pass } = world();
  await silence();
  assert.equal(await ask(), undefined);
  assert.equal(started.length, 3);
  pass(1_000);
  const probe = ask();
  assert.equal(await ask(), undefined, 'one probe at a time');
  await settle();
  started[3]?.answer('here');
  assert.equal(await probe, 'here');
  const asked = [ask(), ask()];
  await settle();
  assert.equal(started.length, 6);
  started[4]?.answer('x');
  started[5]?.answer('y');
  assert.deepEqual(await Promise.all(asked), ['x', 'y']);
});

test('an answer in between resets the count of silences', async () => {
  const { ask, started, settle } = world();
  for (const word of ['silence', 'silence', 'here', 'silence', 'silence']) {
    const asked = ask();
    await settle();
    started.at(-1)?.answer(word);
    assert.equal(await asked, word);
  }
  const open = ask();
  await settle();
  assert.equal(started.length, 6);
  started[5]?.answer('here');
  await open;
});

test('queued jobs are dropped at once when it turns out to be down', async () => {
  const { ask, started, settle } = world({ width: 1, silences: 1 });
  const [first, second, third] = [ask(), ask(), ask()];
  await settle();
  started[0]?.answer('silence');
  assert.deepEqual(await Promise.all([first, second, third]), ['silence', undefined, undefined]);
  assert.equal(started.length, 1);
});

test('a job that throws is a silence, and its place is free again', async () => {
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
