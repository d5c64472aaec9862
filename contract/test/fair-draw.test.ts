import { deepEqual, equal } from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  drawMessage,
  drawSlice,
  type Hashing,
  pickSlice,
  type SpinToVerify,
  verifySpin,
  weightsText,
} from '../src/fair-draw.ts';
import vectors from './fair-draw-vectors.json' with { type: 'json' };

const nodeHashing: Hashing = {
  sha256: async (bytes) => createHash('sha256').update(bytes).digest(),
  hmacSha256: async (key, message) => createHmac('sha256', key).update(message).digest(),
};
/** Hash functions of a browser. */
const webHashing: Hashing = {
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
  hmacSha256: async (key, message) => {
    const hmacKey = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, new TextEncoder().encode(message)));
  },
};
const digestOf = (...values: bigint[]): Uint8Array => {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64BE(value, index * 8);
  return bytes;
};

/**
 * A sum of weights with which half of all words are skipped; with these seeds every word of the first two digests is.
 */
const manySlices = {
  name: 'every word of two digests is skipped',
  serverSeed: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
  commitment: '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd',
  clientSeed: 'many',
  nonce: 1,
  weights: Array.from({ length: 1025 }, (_, index) => ({ code: `S${index}`, weight: Number.MAX_SAFE_INTEGER })),
  digests: [
    'a24216011b844d63ee21f1f8de3a3c5ffe26174e1062ec56ec7d95851ce79772',
    '91abcf1c96cec101a1a618fdc4dc268e9aa7800104b1a6f494f2a40cb3cb0e1e',
    '55af31b9c0345add1adb3a7ad1b4add89725fc5c6454d81cd145dc3959a06cb1',
  ],
  code: 'S685',
};

for (const { name, digests, ...spin } of [...vectors, manySlices]) {
  test(`the draw of the published vector ${name} is reproduced [R-SPIN-04]`, async () => {
    const key = Buffer.from(spin.serverSeed, 'hex');
    for (const [cursor, digest] of digests.entries()) {
      equal(createHmac('sha256', key).update(drawMessage(spin, cursor)).digest('hex'), digest);
    }
    for (const hashing of [nodeHashing, webHashing]) {
      const weights = spin.weights.map(({ weight }) => weight);
      const index = await drawSlice({ ...spin, serverSeed: Uint8Array.from(key) }, weights, hashing.hmacSha256);
      equal(spin.weights[index]?.code, spin.code);
      deepEqual(await verifySpin(spin, hashing), { isSeedCommitted: true, drawnCode: spin.code, isProven: true });
    }
  });
}

test('a hash word in the incomplete last round is skipped, and the next one decides [R-SPIN-04]', () => {
  const largestWord = 2n ** 64n - 1n;
  // 2^64 mod 3 is 1, so only the very last word is skipped.
  equal(pickSlice(digestOf(largestWord - 1n), [1, 1, 1]), 2);
  equal(pickSlice(digestOf(largestWord, 1n), [1, 1, 1]), 1);
  equal(pickSlice(digestOf(largestWord, largestWord, largestWord, largestWord), [1, 1, 1]), undefined);
  equal(pickSlice(digestOf(largestWord), [1, 1, 2]), 2, 'with a power of two all rounds are complete');
});

test('weights of a wheel are applied in order: every remainder has its slice [R-SPIN-04]', () => {
  const weights = [3, 0, 1, 2];
  const pickedIndexes = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 600n + 4n].map((value) => pickSlice(digestOf(value), weights));
  deepEqual(pickedIndexes, [0, 0, 0, 2, 3, 3, 0, 3]);
});

test('with any weights the selected slice has a weight above 0 [R-SPIN-04]', () => {
  const weights = fc
    .array(fc.nat(), { minLength: 1, maxLength: 12 })
    .filter((weightList) => weightList.some((weight) => weight > 0));
  fc.assert(
    fc.property(weights, fc.uint8Array({ minLength: 32, maxLength: 32 }), (weightList, digest) => {
      const pickedIndex = pickSlice(digest, weightList);
      equal(pickedIndex === undefined || (weightList[pickedIndex] ?? 0) > 0, true);
    }),
    { numRuns: 5_000 },
  );
});

test('a proof with a different seed, number, slice or weight, or malformed input, fails [R-SPIN-04]', async () => {
  const [vector] = vectors;
  const validSpin = vector as SpinToVerify;
  const zeros = '00'.repeat(32);
  const alterations: Partial<SpinToVerify>[] = [
    { serverSeed: zeros },
    { serverSeed: 'not hex' },
    { serverSeed: '' },
    { commitment: zeros },
    { code: 'ANOTHER' },
    { weights: [] },
    { weights: [{ code: validSpin.code, weight: 0 }] },
    { weights: [{ code: validSpin.code, weight: 0.5 }] },
    { weights: Array.from({ length: 4096 }, () => ({ code: validSpin.code, weight: Number.MAX_SAFE_INTEGER })) },
    { weights: validSpin.weights.toReversed().map(({ weight }, index) => ({ code: `R${index}`, weight })) },
  ];
  for (const alteration of alterations) {
    equal((await verifySpin({ ...validSpin, ...alteration }, webHashing)).isProven, false, JSON.stringify(alteration));
  }
});

test('the hashed text of a wheel version changes with each code, weight and order', () => {
  const firstSlice = { code: 'A', weight: 1 };
  const baseline = [firstSlice, { code: 'B', weight: 12 }];
  equal(weightsText(baseline), 'A 1\nB 12\n');
  equal(new Set([baseline, baseline.toReversed(), [firstSlice, { code: 'B', weight: 13 }]].map(weightsText)).size, 3);
});
