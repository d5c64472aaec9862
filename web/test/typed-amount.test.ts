import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AmountError, type AmountField, parseTypedAmount } from '@krapao/contract/text/typed-amount';
import fc from 'fast-check';
import { formatAmount } from '../src/format/number.ts';
import { groupedAmount, significantAmount, plainAmount, readAmount } from '../src/format/typed-amount.ts';
import { editFormatted, type InputFormat } from '../src/ui/edit-formatted.ts';

const bahtField: AmountField = { unit: '฿', decimals: 2 };
const kipField: AmountField = { unit: '₭', decimals: 0 };

/** Parsed number, or the reason why the text is not an amount. */
const valueOrError = (typed: string, field = bahtField): number | AmountError | 'empty' => {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind === 'refused') return parsed.reason;
  return parsed.kind === 'empty' ? 'empty' : readAmount(typed, field);
};

const formatOf = (field: AmountField): InputFormat => ({
  toDraft: (typed) => significantAmount(typed, field),
  toDisplay: (draft) => groupedAmount(draft, field),
  toValue: (draft) => plainAmount(draft, field),
  separator: ',',
});

/** Types characters at the end of an empty field one after the other; '<' is Backspace. */
function typeInto(field: AmountField, keys: string): { draft: string; displayed: string } {
  const format = formatOf(field);
  let draft = '';
  for (const key of keys) {
    const displayed = format.toDisplay(draft);
    const editedText = key === '<' ? displayed.slice(0, -1) : displayed + key;
    draft = editFormatted(
      format,
      draft,
      editedText,
      editedText.length,
      key === '<' ? 'deleteContentBackward' : 'insertText',
    ).draft;
  }
  return { draft, displayed: format.toDisplay(draft) };
}

test('a comma or point before one or two final digits is the decimal separator', () => {
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
  for (const [typed, value] of Object.entries(cases)) assert.equal(valueOrError(typed), value, typed);
});

test("separators before three digits group them, and the currency's sign or name is ignored", () => {
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
  for (const [typed, value] of Object.entries(cases)) assert.equal(valueOrError(typed), value, typed);
});

test('an invalid or ambiguous amount is refused with a reason', () => {
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
    assert.equal(valueOrError(typed), reason, typed);
    assert.equal(readAmount(typed, bahtField), 0, typed);
  }
  assert.equal(valueOrError(' '), 'empty');
});

test('kip has no fractions: a point groups, zeros after a decimal separator are accepted, other decimals refused', () => {
  assert.equal(valueOrError('50.000', kipField), 50_000);
  assert.equal(valueOrError('50,000', kipField), 50_000);
  assert.equal(valueOrError('₭50,000.00', kipField), 50_000);
  assert.equal(valueOrError('50 000 ກີບ', kipField), 50_000);
  assert.equal(valueOrError('50,5', kipField), 'fraction');
  assert.equal(valueOrError('1234.5', kipField), 'fraction');
});

test('an amount typed character by character equals the pasted one, and is displayed in groups', () => {
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
  for (const [keys, expectedDisplay] of cases) assert.equal(typeInto(bahtField, keys).displayed, expectedDisplay, keys);
  assert.equal(readAmount(typeInto(bahtField, '1000,500').draft, bahtField), 0);
});

/**
 * Values of a text under the two common conventions, `1,234.50` (with any number of decimals) and `1.234,50`; [] if
 * neither applies.
 */
function conventionalValues(text: string): number[] {
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

test('a parsed amount never exceeds any sensible reading of the typed text', () => {
  fc.assert(
    fc.property(typedText, (text) => {
      const typed = text.trim();
      const value = readAmount(typed, bahtField);
      for (const conventionalValue of conventionalValues(typed))
        assert.ok(value <= conventionalValue, `${typed}: ${value} > ${conventionalValue}`);
      const decimals = /[.,](\d{1,2})$/.exec(typed)?.[1]?.length ?? 0;
      assert.ok(value <= Number(typed.replaceAll(/\D/g, '') || '0') / 10 ** decimals, typed);
    }),
    { numRuns: 5000 },
  );
});

test('every amount that the app displays is parsed back unchanged, in baht and kip, with and without sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.boolean(), (units, withSign) => {
      const value = units / 100;
      assert.equal(readAmount(formatAmount(value, { withSign }), bahtField), value);
      const whole = Math.trunc(value);
      assert.equal(readAmount(formatAmount(whole, { currency: 'LAK', withSign }), kipField), whole);
    }),
  );
});

test('stored, displayed and form values of an amount parse to the same amount, repeatedly', () => {
  fc.assert(
    fc.property(fc.oneof(typedText, fc.string()), fc.constantFrom(bahtField, kipField), (typed, field) => {
      const value = valueOrError(typed, field);
      for (const format of [significantAmount, groupedAmount, plainAmount]) {
        const formatted = format(typed, field);
        assert.equal(format(formatted, field), formatted);
        if (typeof value === 'number') assert.equal(valueOrError(formatted, field), value);
        else assert.equal(readAmount(formatted, field), 0);
      }
    }),
    { numRuns: 2000 },
  );
});

test('digits typed at any position leave the caret after them', () => {
  const format = formatOf(bahtField);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Array.from('123456789'))), { maxLength: 12 }),
      (keys) => {
        let draft = '';
        for (const [position, key] of keys) {
          const displayed = format.toDisplay(draft);
          const insertPosition = position % (displayed.length + 1);
          const editedText = `${displayed.slice(0, insertPosition)}${key}${displayed.slice(insertPosition)}`;
          const edited = editFormatted(format, draft, editedText, insertPosition + 1, 'insertText');
          const newDisplayed = format.toDisplay(edited.draft);
          assert.equal(
            newDisplayed.slice(0, edited.caret).replaceAll(',', ''),
            editedText.slice(0, insertPosition + 1).replaceAll(',', ''),
          );
          draft = edited.draft;
        }
      },
    ),
  );
});
