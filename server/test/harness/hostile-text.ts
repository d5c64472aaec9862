import fc from 'fast-check';

const arbitraryControl = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code > 0x7e);
const jsonCodeUnit = (arbitraryCode: fc.Arbitrary<number>) => arbitraryCode.map((code) => String.fromCharCode(code));

/** A piece of text from a counterparty that databases, terminals or screens may not support. */
const arbitraryPiece = fc.oneof(
  fc.constantFrom('\0', '\0\0\0', '\\u0000', "'; drop table member; --", '%00', '${x}', '{"a":1}', '__proto__', ''),
  // Halves of surrogate pairs.
  jsonCodeUnit(fc.integer({ min: 0xd800, max: 0xdfff })),
  jsonCodeUnit(arbitraryControl),
  // Marks of direction, joiners, marks of byte order, and no characters at all.
  fc.constantFrom('\u202e', '\u2066', '\u200f', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufffd', '\uffff', '\ufdd0'),
  fc.constantFrom('สมชาย ใจดี', 'ทดสอบ๑๒๓', 'ສົມໄຊ ດີຫຼາຍ', 'ນາງ ບຸນມີ', 'กกํ้', 'ເຂົ້າ'),
  fc.constantFrom('👩‍👩‍👧‍👦', '🇹🇭', '🇱🇦', '💰', '\u{10ffff}'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ maxLength: 30 }),
);

/** Hostile text of a counterparty, except huge texts. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(arbitraryPiece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''));

const BASE64URL_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

/** Other texts that Node decodes to the same bytes as a text in base64url. */
export function otherSpellings(text: string): string[] {
  const bytes = Buffer.from(text, 'base64url');
  const lastCharacters = BASE64URL_CHARACTERS.map((character) => text.slice(0, -1) + character);
  return [`${text}=`, `${text}~`, `${text}A`, `~${text}`, ...lastCharacters].filter(
    (spelling) => spelling !== text && Buffer.from(spelling, 'base64url').equals(bytes),
  );
}

/** A megabyte of text. */
export const hugeText: fc.Arbitrary<string> = fc
  .tuple(arbitraryPiece, fc.constantFrom('x', 'ก', '\0', '\ud800', '💰'))
  .map(([start, filler]) => start + filler.repeat(Math.ceil(1_000_000 / Buffer.byteLength(JSON.stringify(filler)))));

/** A value in place of a text. */
export const wrongType: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e308, [], {}, ['a'], { toString: 1 }, undefined),
  fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
  fc.constant(JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) as unknown),
);

/** A hostile value in place of a text: mostly hostile text, rarely a huge text or another type. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: hostileText, weight: 60 },
  { arbitrary: wrongType, weight: 8 },
  { arbitrary: hugeText, weight: 1 },
);

/** Number of texts per adapter: some hundreds, or `FUZZ_TEXTS` (`FUZZ_TEXTS=10000`). */
export const countFuzzTexts = (defaultCount: number): number => Number(process.env['FUZZ_TEXTS'] ?? defaultCount);

/** `FUZZ_SEED` repeats a run. */
export const FUZZ_SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_126);

/** Samples without shrinking, for tests that send many values through one server. */
export const sampleValues = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: FUZZ_SEED });
