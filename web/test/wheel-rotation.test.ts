import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifySpin } from '@krapao/contract/fair-draw';
import vectors from '../../contract/test/fair-draw-vectors.json' with { type: 'json' };
import { browserHashing } from '../src/features/spinwheel/hashing.ts';
import { planRotation, sliceAt } from '../src/features/spinwheel/wheel-motion.ts';

const REPETITIONS = 400;
const extremeRandoms = [() => 0, () => 0.5, () => 1 - Number.EPSILON];

test('from any wheel position a spin of 2 or 3 rounds and 3 to 4 s ends inside the drawn slice [R-SPIN-02]', () => {
  for (const count of [1, 2, 3, 8, 12, 24]) {
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      const startDegrees = Math.random() * 2_000 - 1_000;
      const slice = repetition % count;
      const randomSource = extremeRandoms[repetition] ?? Math.random;
      const { degrees, durationMs, easing } = planRotation(startDegrees, slice, count, randomSource);
      const fullTurns = Math.floor(degrees / 360);
      assert.ok(fullTurns === 2 || fullTurns === 3, `${degrees}`);
      assert.ok(durationMs >= 3_000 && durationMs <= 4_000, `${durationMs}`);
      assert.match(easing, /^cubic-bezier\(0\.3, 0\.\d+, 0\.35, 1\)$/);
      for (const offset of [-0.1, 0, 0.1]) {
        assert.equal(sliceAt(startDegrees + degrees + (offset * 360) / count, count), slice, 'not at an edge');
      }
    }
  }
});

for (const { name, digests, ...spin } of vectors) {
  test(`the browser's hashing reproduces the published vector ${name}`, async () => {
    const seed = Uint8Array.from(Buffer.from(spin.serverSeed, 'hex'));
    const digest = await browserHashing.hmacSha256(seed, `${spin.clientSeed}:${spin.nonce}:0`);
    assert.equal(Buffer.from(digest).toString('hex'), digests[0]);
    assert.deepEqual(await verifySpin(spin, browserHashing), {
      isSeedCommitted: true,
      drawnCode: spin.code,
      isProven: true,
    });
  });
}
