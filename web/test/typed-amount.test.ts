import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAmount } from '../src/format/number.ts';
import {
  type AmountField,
  type AmountError,
  groupedAmount,
  significantAmount,
  parseTypedAmount,
  plainAmount,
  readAmount,
} from '../src/format/typed-amount.ts';
import { editFormatted, type InputFormat } from '../src/ui/edit-formatted.ts';

const baht: AmountField = { unit: '฿', decimals: 2 };
const kip: AmountField = { unit: '₭', decimals: 0 };

/** The number, or why there is none. */
const readingOf = (typed: string, field = baht): number | AmountError | 'empty' => {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind === 'refused') return parsed.reason;
  return parsed.kind === 'empty' ? 'empty' : readAmount(typed, field);
};

const formatOf = (field: AmountField): InputFormat => ({
  keep: (typed) => significantAmount(typed, field),
  show: (kept) => groupedAmount(kept, field),
  plain: (kept) => plainAmount(kept, field),
  separator: ',',
});

/** Types characters one after the other at the end of an empty field; '<' is Backspace. */
function typeInto(field: AmountField, keys: string): { kept: string; shown: string } {
  const format = formatOf(field);
  let kept = '';
  for (const key of keys) {
    const shown = format.show(kept);
    const next = key === '<' ? shown.slice(0, -1) : shown + key;
    kept = editFormatted(format, kept, next, next.length, key === '<' ? 'deleteContentBackward' : 'insertText').kept;
  }
  return { kept, shown: format.show(kept) };
}

test('a comma or a point before one or two final digits is the decimal sign', () => {
  const cases: Record<string, number> = {
    '100,50': 100.5,
    '1,5': 1.5,
    '1.5': 1.5,
    '.5': 0.5,
    ',50': 0.5,
    '1,000.50': 1000.5,
    '1.000,50': 1000.5,
    '1,000,50': 1000.5,
    '1 000,50': 1000.5,
    '1\u202f000,50': 1000.5,
    '1’000.50': 1000.5,
    '๑,๐๐๐.๕๐': 1000.5,
    '໑໐໐,໕໐': 100.5,
    '١٬٠٠٠٫٥٠': 1000.5,
    '１，０００．５０': 1000.5,
  };
  for (const [typed, value] of Object.entries(cases)) assert.equal(readingOf(typed), value, typed);
});

test('separators before three digits group, and the sign or name of the currency is left out', () => {
  const cases: Record<string, number> = {
    '1,000': 1000,
    '1,000,000': 1_000_000,
    '1.000.000': 1_000_000,
    '1 000': 1000,
    "1'000": 1000,
    '๑๐๐': 100,
    '฿1,000.00': 1000,
    '1,000.00 บาท': 1000,
    'THB 1,000': 1000,
    '+250.00': 250,
    '\u200e฿20\u200e': 20,
    '007': 7,
  };
  for (const [typed, value] of Object.entries(cases)) assert.equal(readingOf(typed), value, typed);
});

test('text that is no amount, or could be two, is refused with a reason', () => {
  const cases: Record<string, AmountError> = {
    '1.000': 'ambiguous',
    '1.005': 'ambiguous',
    '1,2,3': 'malformed',
    '1e5': 'malformed',
    '0x10': 'malformed',
    $100: 'malformed',
    '₭100': 'malformed',
    '1,50,000': 'malformed',
    '12 34': 'malformed',
    '1..5': 'malformed',
    '5,,': 'malformed',
    '-100': 'negative',
    '−100': 'negative',
    '100-': 'malformed',
    '0.005': 'decimals',
    '0,005': 'decimals',
    '1234.567': 'decimals',
    '1,000.505': 'decimals',
    '1.000,505': 'decimals',
    '12345678901234': 'tooLarge',
  };
  for (const [typed, reason] of Object.entries(cases)) {
    assert.equal(readingOf(typed), reason, typed);
    assert.equal(readAmount(typed, baht), 0, typed);
  }
  assert.equal(readingOf(' '), 'empty');
});

test('kip has no fractions: a point groups, zeros after a decimal sign are read, other decimals are refused', () => {
  assert.equal(readingOf('50.000', kip), 50_000);
  assert.equal(readingOf('50,000', kip), 50_000);
  assert.equal(readingOf('₭50,000.00', kip), 50_000);
  assert.equal(readingOf('50 000 ກີບ', kip), 50_000);
  assert.equal(readingOf('50,5', kip), 'fraction');
  assert.equal(readingOf('1234.5', kip), 'fraction');
});

test('typed character by character an amount reads as if it were pasted, and is displayed in groups', () => {
  const cases: [string, string][] = [
    ['1234567', '1,234,567'],
    ['100,50', '100.50'],
    ['1,5', '1.5'],
    ['1,', '1.'],
    ['1000,50', '1,000.50'],
    ['1,000', '1,000'],
    ['1,000,50', '1,000.50'],
    ['1,000,000', '1,000,000'],
    ['1.500.000', '1,500,000'],
    ['1.000', '1.000'],
    ['1000,500', '1000,500'],
    ['๑๐๐๐.๕', '1,000.5'],
    ['0050', '50'],
    ['100,500<', '100.50'],
    ['1000<', '100'],
    ['.5', '0.5'],
    ['1e5', '1e5'],
    ['1e<5', '15'],
  ];
  for (const [keys, shown] of cases) assert.equal(typeInto(baht, keys).shown, shown, keys);
  assert.equal(readAmount(typeInto(baht, '1000,500').kept, baht), 0);
});

/** What a text means to people who write amounts as `1,234.50` (with any decimals) or as `1.234,50`; [] for none. */
function sensibleReadings(text: string): number[] {
  const conventions: [RegExp, string, string][] = [
    [/^(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?$/, ',', '.'],
    [/^(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d{0,2})?$/, '.', ','],
    [/^(?:\d+|\d{1,3}(?: \d{3})+)?(?:[.,]\d{0,2})?$/, ' ', ','],
  ];
  return conventions
    .filter(([pattern]) => pattern.test(text))
    .map(([, group, decimal]) => Number(text.replaceAll(group, '').replace(decimal, '.') || '0'))
    .filter((value) => !Number.isNaN(value));
}

const typedText = fc.string({ unit: fc.constantFrom(...Array.from('0123456789,. ')), minLength: 1, maxLength: 14 });

test('the amount that is read is never larger than any sensible reading of what was typed', () => {
  fc.assert(
    fc.property(typedText, (text) => {
      const typed = text.trim();
      const value = readAmount(typed, baht);
      for (const reading of sensibleReadings(typed)) assert.ok(value <= reading, `${typed}: ${value} > ${reading}`);
      const decimals = /[.,](\d{1,2})$/.exec(typed)?.[1]?.length ?? 0;
      assert.ok(value <= Number(typed.replaceAll(/\D/g, '') || '0') / 10 ** decimals, typed);
    }),
    { numRuns: 5000 },
  );
});

test('every amount of the app is read back as it was, in baht and kip, with and without its sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.boolean(), (units, withSign) => {
      const value = units / 100;
      assert.equal(readAmount(formatAmount(value, { withSign }), baht), value);
      const whole = Math.trunc(value);
      assert.equal(readAmount(formatAmount(whole, { currency: 'LAK', withSign }), kip), whole);
    }),
  );
});

test('kept, displayed and form values of an amount parse to the same amount, repeatedly', () => {
  fc.assert(
    fc.property(fc.oneof(typedText, fc.string()), fc.constantFrom(baht, kip), (typed, field) => {
      const reading = readingOf(typed, field);
      for (const step of [significantAmount, groupedAmount, plainAmount]) {
        const once = step(typed, field);
        assert.equal(step(once, field), once);
        if (typeof reading === 'number') assert.equal(readingOf(once, field), reading);
        else assert.equal(readAmount(once, field), 0);
      }
    }),
    { numRuns: 2000 },
  );
});

test('digits typed at any position leave the caret after them', () => {
  const format = formatOf(baht);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Array.from('123456789'))), { maxLength: 12 }),
      (keys) => {
        let kept = '';
        for (const [place, key] of keys) {
          const shown = format.show(kept);
          const at = place % (shown.length + 1);
          const next = `${shown.slice(0, at)}${key}${shown.slice(at)}`;
          const edited = editFormatted(format, kept, next, at + 1, 'insertText');
          const display = format.show(edited.kept);
          assert.equal(display.slice(0, edited.caret).replaceAll(',', ''), next.slice(0, at + 1).replaceAll(',', ''));
          kept = edited.kept;
        }
      },
    ),
  );
});
