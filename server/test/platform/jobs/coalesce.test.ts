import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce } from '../../../src/platform/jobs/concurrency.ts';

type LoadedValue = { key: string; at: number };

/** A source that is slow enough for requests to be combined, and records its calls. */
function createSource(isFailing: (keys: readonly string[]) => boolean = () => false) {
  const loadedKeys: string[][] = [];
  const loadKeys = async (keys: readonly string[]): Promise<Map<string, LoadedValue>> => {
    loadedKeys.push([...keys]);
    const loadNumber = loadedKeys.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (isFailing(keys)) throw new Error('unavailable');
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, { key, at: loadNumber }]));
  };
  return { calls: loadedKeys, load: loadKeys };
}

const keyOf = (key: string): string => key;
const waitForEventLoopTurn = () => new Promise((resolve) => setImmediate(resolve));

test('requests of one event-loop turn share a call; those made during it share the next, each key once', async () => {
  const { calls, load } = createSource();
  const coalescedLoad = coalesce(load, keyOf);
  const first = ['a', 'b'].map(coalescedLoad);
  await waitForEventLoopTurn();
  assert.deepEqual(calls, [['a', 'b']]);
  const loadedValues = await Promise.all([...first, ...['b', 'c', 'b', 'unknown'].map(coalescedLoad)]);
  assert.deepEqual(
    loadedValues.map((loadedValue) => loadedValue?.key),
    ['a', 'b', 'b', 'c', 'b', undefined],
  );
  assert.deepEqual(calls, [
    ['a', 'b'],
    ['b', 'c', 'unknown'],
  ]);
});

test('a batched request never gets the result of a call that began before it', async () => {
  const { calls, load } = createSource();
  const coalescedLoad = coalesce(load, keyOf);
  const first = coalescedLoad('a');
  await waitForEventLoopTurn();
  const second = coalescedLoad('a');
  assert.deepEqual([(await first)?.at, (await second)?.at], [1, 2]);
  assert.equal(calls.length, 2);
});

test('a failed batched call rejects only the requests in it', async () => {
  const { load } = createSource((keys) => keys.includes('b'));
  const coalescedLoad = coalesce(load, keyOf, 1);
  const [a, b, c] = await Promise.allSettled([coalescedLoad('a'), coalescedLoad('b'), coalescedLoad('c')]);
  assert.deepEqual([a.status, b.status, c.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal((await coalescedLoad('c'))?.key, 'c');
});

test('a batched call contains at most its maximum of keys', async () => {
  const { calls, load } = createSource();
  const coalescedLoad = coalesce(load, keyOf, 10);
  await Promise.all(Array.from({ length: 35 }, (_, number) => coalescedLoad(`k${number}`)));
  assert.deepEqual(
    calls.map((keys) => keys.length),
    [10, 10, 10, 5],
  );
});
