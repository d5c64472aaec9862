import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce } from '../../../src/platform/jobs/coalesce.ts';

type Answer = { key: string; at: number };

/** A source that is slow enough for questions to gather, and remembers its calls. */
function source(failing: (keys: readonly string[]) => boolean = () => false) {
  const calls: string[][] = [];
  const load = async (keys: readonly string[]): Promise<Answer[]> => {
    calls.push([...keys]);
    const at = calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (failing(keys)) throw new Error('away');
    return keys.filter((key) => key !== 'nobody').map((key) => ({ key, at }));
  };
  return { calls, load };
}

test('one question goes out at once; those that come meanwhile go together, each key once', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, ({ key }: Answer) => key);
  const answers = await Promise.all(['a', 'b', 'c', 'b', 'nobody'].map((key) => ask(key)));
  assert.deepEqual(
    answers.map((answer) => answer?.key),
    ['a', 'b', 'c', 'b', undefined],
  );
  assert.deepEqual(calls, [['a'], ['b', 'c', 'nobody']]);
});

test('no request is answered by a call that began before it', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, ({ key }: Answer) => key);
  const first = ask('a');
  const second = ask('a');
  assert.deepEqual([(await first)?.at, (await second)?.at], [1, 2]);
  assert.equal(calls.length, 2);
});

test('a failed call rejects only its own requests', async () => {
  const { load } = source((keys) => keys.includes('b'));
  const ask = coalesce(load, ({ key }: Answer) => key);
  const [a, b, c] = await Promise.allSettled([ask('a'), ask('b'), ask('c')]);
  assert.deepEqual([a.status, b.status, c.status], ['fulfilled', 'rejected', 'rejected']);
  assert.equal((await ask('c'))?.key, 'c');
});

test('no call carries more keys than it may', async () => {
  const { calls, load } = source();
  const ask = coalesce(load, ({ key }: Answer) => key, 10);
  await Promise.all(Array.from({ length: 35 }, (_, number) => ask(`k${number}`)));
  assert.equal(Math.max(...calls.map((keys) => keys.length)), 10);
});
