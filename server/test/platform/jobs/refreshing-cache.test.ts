import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshingCache } from '../../../src/platform/jobs/cache.ts';

/** A source that answers on command, with the number of the call. */
function source() {
  const asked: { answer(): void; fail(): void }[] = [];
  const load = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const number = asked.length;
      asked.push({ answer: () => resolve(number), fail: () => reject(new Error('away')) });
    });
  return { asked, load };
}

const FRESH_MS = 1_000;

test('many who ask at once share one question', async () => {
  const { asked, load } = source();
  const ask = refreshingCache(load, FRESH_MS);
  const answers = [ask(), ask(), ask()];
  asked[0]?.answer();
  assert.deepEqual(await Promise.all(answers), [0, 0, 0]);
  assert.equal(asked.length, 1);
});

test('what is nearly too old is asked for again while the old answer still serves; too old it never does', async () => {
  const { asked, load } = source();
  let now = 5_000;
  const ask = refreshingCache(load, FRESH_MS, () => now);
  const first = ask();
  asked[0]?.answer();
  await first;
  now += 699;
  assert.equal(await ask(), 0);
  assert.equal(asked.length, 1);
  now += 300;
  const renewing = ask();
  assert.equal(asked.length, 2);
  assert.equal(await renewing, 0);
  now += FRESH_MS;
  const late = ask();
  assert.equal(asked.length, 3, 'the question under way has become too old itself');
  asked[2]?.answer();
  assert.equal(await late, 2);
  asked[1]?.answer();
  assert.equal(await ask(), 2, 'an older answer that comes late changes nothing');
});

test('a failed question is not kept', async () => {
  const { asked, load } = source();
  const ask = refreshingCache(load, FRESH_MS);
  const failing = ask();
  asked[0]?.fail();
  await assert.rejects(failing, /away/);
  const again = ask();
  asked[1]?.answer();
  assert.equal(await again, 1);
});
