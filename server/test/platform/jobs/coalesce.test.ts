import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce } from '../../../src/platform/jobs/concurrency.ts';

type Answer = { key: string; at: number };

/** A source that is slow enough for requests to gather, and remembers its calls. */
function source(failing: (keys: readonly string[]) => boolean = () => false) {
  const calls: string[][] = [];
  const load = async (keys: readonly string[]): Promise<Map<string, Answer>> => {
    calls.push([...keys]);
    const at = calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (failing(keys)) throw new Error('unavailable');
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, { key, at }]));
  };
  return { calls, load };
}

const itself = (key: string): string => key;
const turnOfEventLoop = () => new Promise((resolve) => setImmediate(resolve));

test('requests of one turn go out together at once; those made meanwhile go together next, each key once', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, itself);
  const first = ['a', 'b'].map(ask);
  await turnOfEventLoop();
  assert.deepEqual(calls, [['a', 'b']]);
  const answers = await Promise.all([...first, ...['b', 'c', 'b', 'unknown'].map(ask)]);
  assert.deepEqual(
    answers.map((answer) => answer?.key),
    ['a', 'b', 'b', 'c', 'b', undefined],
  );
  assert.deepEqual(calls, [
    ['a', 'b'],
    ['b', 'c', 'unknown'],
  ]);
});

test('no request is answered by a call that began before it', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, itself);
  const first = ask('a');
  await turnOfEventLoop();
  const second = ask('a');
  assert.deepEqual([(await first)?.at, (await second)?.at], [1, 2]);
  assert.equal(calls.length, 2);
});

test('a failed call rejects only its own requests', async () => {
  const { load } = source((keys) => keys.includes('b'));
  const ask = coalesce(load, itself, 1);
  const [a, b, c] = await Promise.allSettled([ask('a'), ask('b'), ask('c')]);
  assert.deepEqual([a.status, b.status, c.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal((await ask('c'))?.key, 'c');
});

test('no call carries more keys than it may', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, itself, 10);
  await Promise.all(Array.from({ length: 35 }, (_, number) => ask(`k${number}`)));
  assert.deepEqual(
    calls.map((keys) => keys.length),
    [10, 10, 10, 5],
  );
});
