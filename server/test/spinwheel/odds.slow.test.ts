import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { drawIndex, hashWeights, type Slice, wheelShape } from '../../src/modules/spinwheel/spinwheel.ts';
import { registerMember } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { chiSquare, chiSquareLimit } from './chi-square.ts';
import { giveCoins, moneyPrize, publishTestWheel, wheelSlice, spinOnce, wheelFileOf } from './wheel-fixtures.ts';

const SEED_FILE = join(import.meta.dirname, '../../seed/wheel.json');
const seededSlices = wheelShape.parse(JSON.parse(readFileSync(SEED_FILE, 'utf8'))).slices;
const DRAW_COUNT = 25_000;

/** Draws like the server, with fixed seeds. */
async function countDraws(slices: readonly Slice[], drawCount: number, salt: string): Promise<number[]> {
  const counts = slices.map(() => 0);
  for (let drawNumber = 0; drawNumber < drawCount; drawNumber += 1) {
    const serverSeed = createHash('sha256')
      .update(`${salt} ${drawNumber % 50}`)
      .digest('hex');
    const sliceIndex = await drawIndex(slices, { serverSeed, clientSeed: salt, nonce: Math.floor(drawNumber / 50) });
    counts[sliceIndex] = (counts[sliceIndex] ?? 0) + 1;
  }
  return counts;
}

test(`${DRAW_COUNT} draws of the seeded wheel follow exactly its weights [R-SPIN-04]`, async () => {
  const weights = seededSlices.map(({ weight }) => weight);
  const counts = await countDraws(seededSlices, DRAW_COUNT, 'seeded');
  const limit = chiSquareLimit(weights.length - 1);
  assert.ok(chiSquare(counts, weights) < limit, `${chiSquare(counts, weights)} of ${counts.join(' ')}`);
  assert.ok(chiSquare(counts, weights.toReversed()) > limit);
  assert.ok(
    chiSquare(
      counts,
      weights.map(() => 1),
    ) > limit,
  );
});

test('draws follow any weights, even and uneven ones [R-SPIN-04]', async () => {
  const arbitraryWeights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(arbitraryWeights, fc.string({ minLength: 4 }), async (weights, salt) => {
      const slices = wheelShape.parse(
        wheelFileOf(...weights.map((weight, index) => wheelSlice(`S${index}`, weight, { kind: 'NONE' }))),
      );
      // Slices expected fewer than five times are pooled for the test.
      const drawCount = 2_500;
      const total = weights.reduce((total, weight) => total + weight, 0);
      const isRare = weights.map((weight) => (drawCount * weight) / total < 5);
      const foldRare = (values: readonly number[]) => [
        ...values.filter((_, index) => !isRare[index]),
        ...(isRare.includes(true)
          ? [values.reduce((total, value, index) => total + (isRare[index] ? value : 0), 0)]
          : []),
      ];
      const [counts, expected] = [foldRare(await countDraws(slices.slices, drawCount, salt)), foldRare(weights)];
      return chiSquare(counts, expected) < chiSquareLimit(Math.max(1, expected.length - 1)) + 10;
    }),
    { numRuns: 20 },
  );
});

test('every wheel version has its own hash of codes and weights in order', async () => {
  const [first, second, ...otherSlices] = seededSlices as [Slice, Slice, ...Slice[]];
  const sliceHashes = [
    seededSlices,
    [second, first, ...otherSlices],
    [{ ...first, weight: first.weight + 1 }, second, ...otherSlices],
    [{ ...first, code: 'OTHER' }, second, ...otherSlices],
  ].map(hashWeights);
  assert.equal(new Set(sliceHashes).size, 4);
  assert.equal(hashWeights(seededSlices), hashWeights([{ ...first, bgColor: '#000000' }, second, ...otherSlices]));
});

test('an invalid wheel file is refused: missing odds, a repeated slice, a missing prize, another structure', async () => {
  const [first, second] = [wheelSlice('A', 1, { kind: 'NONE' }), wheelSlice('B', 1, moneyPrize('20.00'))];
  assert.ok(wheelShape.safeParse(wheelFileOf(first, second)).success);
  for (const invalidSlices of [
    wheelFileOf(first),
    wheelFileOf(first, { ...second, code: 'A' }),
    wheelFileOf(first, { ...second, code: 'b' }),
    wheelFileOf(first, { ...second, weight: 0 }),
    wheelFileOf(first, { ...second, weight: 1.5 }),
    wheelFileOf(first, { ...second, weight: 1_000_001 }),
    wheelFileOf(first, { ...second, bgColor: 'red;background:url(x)' }),
    wheelFileOf(first, wheelSlice('B', 1, moneyPrize('0.00'))),
    wheelFileOf(first, wheelSlice('B', 1, moneyPrize('-1.00'))),
    wheelFileOf(first, wheelSlice('B', 1, moneyPrize('1.001'))),
    wheelFileOf(first, wheelSlice('B', 1, { kind: 'MONEY', amount: { BAHT: '1.00', LAK: '600.50' } })),
    wheelFileOf(first, wheelSlice('B', 1, { kind: 'COINS', coins: 0 })),
    { name: first.label },
  ]) {
    assert.ok(!wheelShape.safeParse(invalidSlices).success, JSON.stringify(invalidSlices));
  }
});

let system: System;
before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'spin.member': 100_000 });
});
after(() => system.stop());

test('600 spins of several members over HTTP follow the weights, and are so stored [R-SPIN-04]', async () => {
  const weights = [40, 30, 20, 10];
  const version = await publishTestWheel(
    system,
    wheelFileOf(...weights.map((weight, index) => wheelSlice(`S${index}`, weight, { kind: 'NONE' }))),
  );
  const counts = weights.map(() => 0);
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const member = await registerMember(system);
      await giveCoins(system, member.id, 150);
      for (let spinNumber = 0; spinNumber < 150; spinNumber += 1) {
        const sliceIndex = Number((await spinOnce(system, member)).code.slice(1));
        counts[sliceIndex] = (counts[sliceIndex] ?? 0) + 1;
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
  assert.ok(chiSquare(counts, weights) < chiSquareLimit(3), counts.join(' '));
  assert.ok(chiSquare(counts, weights.toReversed()) > chiSquareLimit(3), 'another order would be noticed');
});
