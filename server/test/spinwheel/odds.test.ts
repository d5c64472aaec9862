import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { drawIndex, hashWeights, type Slice, wheelShape } from '../../src/modules/spinwheel/spinwheel.ts';
import { registerMember } from '../harness/members.ts';
import { setLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { chiSquare, limitOf } from './chi-square.ts';
import { giveCoins, money, publish, sliceOf, spinOnce, wheelOf } from './wheel-world.ts';

const SEED_FILE = join(import.meta.dirname, '../../seed/wheel.json');
const seeded = wheelShape.parse(JSON.parse(readFileSync(SEED_FILE, 'utf8'))).slices;
const DRAWS = 25_000;

/** Draws as the server does, under seeds that are the same in every run. */
async function draw(slices: readonly Slice[], draws: number, salt: string): Promise<number[]> {
  const counts = slices.map(() => 0);
  for (let made = 0; made < draws; made += 1) {
    const serverSeed = createHash('sha256')
      .update(`${salt} ${made % 50}`)
      .digest('hex');
    const place = await drawIndex(slices, { serverSeed, clientSeed: salt, nonce: Math.floor(made / 50) });
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

test(`${DRAWS} draws of the seeded wheel follow its weights, and no others [R-SPIN-04]`, async () => {
  const weights = seeded.map(({ weight }) => weight);
  const counts = await draw(seeded, DRAWS, 'seeded');
  const limit = limitOf(weights.length - 1);
  assert.ok(chiSquare(counts, weights) < limit, `${chiSquare(counts, weights)} of ${counts.join(' ')}`);
  assert.ok(chiSquare(counts, weights.toReversed()) > limit);
  assert.ok(
    chiSquare(
      counts,
      weights.map(() => 1),
    ) > limit,
  );
});

test('draws follow whatever weights are set, even and lopsided ones [R-SPIN-04]', async () => {
  const anyWeights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyWeights, fc.string({ minLength: 4 }), async (weights, salt) => {
      const slices = wheelShape.parse(
        wheelOf(...weights.map((weight, index) => sliceOf(`S${index}`, weight, { kind: 'NONE' }))),
      );
      // Slices expected fewer than five times are pooled for the test.
      const draws = 2_500;
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const isRare = weights.map((weight) => (draws * weight) / total < 5);
      const folded = (of: readonly number[]) => [
        ...of.filter((_, index) => !isRare[index]),
        ...(isRare.includes(true) ? [of.reduce((sum, one, index) => sum + (isRare[index] ? one : 0), 0)] : []),
      ];
      const [counts, expected] = [folded(await draw(slices.slices, draws, salt)), folded(weights)];
      return chiSquare(counts, expected) < limitOf(Math.max(1, expected.length - 1)) + 10;
    }),
    { numRuns: 20 },
  );
});

test('every version has a hash of its own, of codes and weights in their order', async () => {
  const [first, second, ...rest] = seeded as [Slice, Slice, ...Slice[]];
  const hashes = [
    seeded,
    [second, first, ...rest],
    [{ ...first, weight: first.weight + 1 }, second, ...rest],
    [{ ...first, code: 'OTHER' }, second, ...rest],
  ].map(hashWeights);
  assert.equal(new Set(hashes).size, 4);
  assert.equal(hashWeights(seeded), hashWeights([{ ...first, bgColor: '#000000' }, second, ...rest]));
});

test('a wheel that can’t be is refused: no odds, a slice twice, no prize, another shape', async () => {
  const [first, second] = [sliceOf('A', 1, { kind: 'NONE' }), sliceOf('B', 1, money('20.00'))];
  assert.ok(wheelShape.safeParse(wheelOf(first, second)).success);
  for (const wrong of [
    wheelOf(first),
    wheelOf(first, { ...second, code: 'A' }),
    wheelOf(first, { ...second, code: 'b' }),
    wheelOf(first, { ...second, weight: 0 }),
    wheelOf(first, { ...second, weight: 1.5 }),
    wheelOf(first, { ...second, weight: 1_000_001 }),
    wheelOf(first, { ...second, bgColor: 'red;background:url(x)' }),
    wheelOf(first, sliceOf('B', 1, money('0.00'))),
    wheelOf(first, sliceOf('B', 1, money('-1.00'))),
    wheelOf(first, sliceOf('B', 1, money('1.001'))),
    wheelOf(first, sliceOf('B', 1, { kind: 'MONEY', amount: { BAHT: '1.00', LAK: '600.50' } })),
    wheelOf(first, sliceOf('B', 1, { kind: 'COINS', coins: 0 })),
    { name: first.label },
  ]) {
    assert.ok(!wheelShape.safeParse(wrong).success, JSON.stringify(wrong));
  }
});

let system: System;
before(async () => {
  system = await startSystem();
  await setLimits(system, { 'spin.member': 100_000 });
});
after(() => system.stop());

test('600 spins of several members over HTTP follow the weights, and stand so in the database [R-SPIN-04]', async () => {
  const weights = [40, 30, 20, 10];
  const version = await publish(
    system,
    wheelOf(...weights.map((weight, index) => sliceOf(`S${index}`, weight, { kind: 'NONE' }))),
  );
  const counts = weights.map(() => 0);
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const member = await registerMember(system);
      await giveCoins(system, member.id, 150);
      for (let made = 0; made < 150; made += 1) {
        const place = Number((await spinOnce(system, member)).code.slice(1));
        counts[place] = (counts[place] ?? 0) + 1;
      }
    }),
  );
  const { rows } = await system.database.query<{ slice: number; count: number }>(
    'select slice, count(*)::int as count from spinwheel_spin where version = $1 group by slice order by slice',
    [version],
  );
  assert.deepEqual(
    rows.map(({ count }) => count),
    counts,
  );
  assert.ok(chiSquare(counts, weights) < limitOf(3), counts.join(' '));
  assert.ok(chiSquare(counts, weights.toReversed()) > limitOf(3), 'another order would be noticed');
});
