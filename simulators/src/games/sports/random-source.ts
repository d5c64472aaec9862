import { createHash } from 'node:crypto';

/** A seeded source of numbers in [0, 1). The same seed name always gives the same sequence. */
export type RandomSource = () => number;

/** The random sequence of a seed name, e.g. of one match (xorshift128+ over a SHA-256). */
export function seededRandom(name: string): RandomSource {
  const digest = createHash('sha256').update(name).digest();
  let [a, b] = [digest.readBigUInt64LE(0) | 1n, digest.readBigUInt64LE(8)];
  return () => {
    const x = BigInt.asUintN(64, a ^ (a << 23n));
    const y = b;
    a = y;
    b = x ^ y ^ (x >> 18n) ^ (y >> 5n);
    return Number(BigInt.asUintN(53, a + b)) / 2 ** 53;
  };
}

/** A shuffled copy. */
export function shuffled<T>(items: readonly T[], random: RandomSource): T[] {
  const shuffledItems = [...items];
  for (let lastIndex = shuffledItems.length - 1; lastIndex > 0; lastIndex -= 1) {
    const swapIndex = Math.floor(random() * (lastIndex + 1));
    [shuffledItems[lastIndex], shuffledItems[swapIndex]] = [
      shuffledItems[swapIndex] as T,
      shuffledItems[lastIndex] as T,
    ];
  }
  return shuffledItems;
}
