import { createHash } from 'node:crypto';

/** A seeded source of numbers in [0, 1): the same name always gives the same sequence. */
export type Chance = () => number;

/** The random sequence of a name, e.g. of one match under one seed (xorshift128+ over a SHA-256). */
export function chanceOf(name: string): Chance {
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
export function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const mixed = [...items];
  for (let left = mixed.length - 1; left > 0; left -= 1) {
    const other = Math.floor(chance() * (left + 1));
    [mixed[left], mixed[other]] = [mixed[other] as T, mixed[left] as T];
  }
  return mixed;
}
