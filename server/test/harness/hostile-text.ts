import fc from 'fast-check';

const control = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code > 0x7e);
const codeUnit = (arbitrary: fc.Arbitrary<number>) => arbitrary.map((code) => String.fromCharCode(code));

/** One piece of text that a counterparty could send, and that a database, a terminal or a screen may not bear. */
const piece = fc.oneof(
  fc.constantFrom('\0', '\0\0\0', '\\u0000', "'; drop table member; --", '%00', '${x}', '{"a":1}', '__proto__', ''),
  // Halves of surrogate pairs.
  codeUnit(fc.integer({ min: 0xd800, max: 0xdfff })),
  codeUnit(control),
  // Marks of direction, joiners, marks of byte order, and no characters at all.
  fc.constantFrom('\u202e', '\u2066', '\u200f', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufffd', '\uffff', '\ufdd0'),
  fc.constantFrom('สมชาย ใจดี', 'ทดสอบ๑๒๓', 'ສົມໄຊ ດີຫຼາຍ', 'ນາງ ບຸນມີ', 'กกํ้', 'ເຂົ້າ'),
  fc.constantFrom('👩‍👩‍👧‍👦', '🇹🇭', '🇱🇦', '💰', '\u{10ffff}'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ maxLength: 30 }),
);

/** Text of a counterparty, without huge ones. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''));

/** A megabyte of text. */
export const hugeText: fc.Arbitrary<string> = fc
  .tuple(piece, fc.constantFrom('x', 'ก', '\0', '\ud800', '💰'))
  .map(([start, fill]) => start + fill.repeat(Math.ceil(1_000_000 / Buffer.byteLength(JSON.stringify(fill)))));

/** A value in place of a text. */
export const wrongType: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e308, [], {}, ['a'], { toString: 1 }, undefined),
  fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
  fc.constant(JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) as unknown),
);

/** What a counterparty may send in place of a text: hostile text mostly, rarely a huge one or another type. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: hostileText, weight: 60 },
  { arbitrary: wrongType, weight: 8 },
  { arbitrary: hugeText, weight: 1 },
);

/** Texts of each adapter: some hundreds, or as many as `FUZZ_TEXTS` says (`FUZZ_TEXTS=10000`). */
export const fuzzTexts = (usual: number): number => Number(process.env['FUZZ_TEXTS'] ?? usual);

/** `FUZZ_SEED` repeats a run. */
export const fuzzSeed = Number(process.env['FUZZ_SEED'] ?? 20_261_126);

/** Values without shrinking, for tests that send many of them through one server. */
export const valuesOf = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: fuzzSeed });
