import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { minor, parseAmount, parseDecimal, toDecimal, toWire } from '../src/money.ts';

test('an amount is parsed from a number exactly, to the last minor unit', () => {
  const cases: [number, bigint][] = [
    [1, 100n],
    [0.1, 10n],
    [0.01, 1n],
    [1.005e2, 10_050n],
    [20.15, 2_015n],
    [1.1, 110n],
    [4.35, 435n],
    [1_234_567.89, 123_456_789n],
  ];
  for (const [number, units] of cases) equal(parseAmount(number), units);
});

test('a third decimal, a sign, a text, an exponent and an inexact number are refused as amounts', () => {
  const invalidValues: unknown[] = [
    0,
    -0,
    -1,
    0.001,
    0.1 + 0.2,
    1e21,
    1e-7,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '100',
    '1e3',
    '1,000',
    '',
    null,
    undefined,
    true,
    [100],
    {},
    100n,
  ];
  deepEqual(
    invalidValues.filter((value) => parseAmount(value) !== undefined),
    [],
  );
});

test('every amount up to 13 digits survives a round trip over the wire', () => {
  // A double holds 15 significant digits for certain: 13 before the point and 2 behind.
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999_999n }), (units) => {
      equal(parseAmount(JSON.parse(JSON.stringify(toWire(units)))), units);
      equal(parseDecimal(toDecimal(units)), units);
      equal(parseDecimal(toDecimal(-units)), -units);
    }),
    { numRuns: 20_000 },
  );
});

test('a text other than a plain decimal is refused as an amount', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const read = parseDecimal(text);
      if (read === undefined) return;
      equal(/^-?\d{1,13}(\.\d{1,2})?$/.test(text), true);
    }),
    { numRuns: 20_000 },
  );
  for (const text of ['1e3', '1,000', ' 1', '1 ', '+1', '.5', '1.', '0x10', '١', '1.234', '--1', '']) {
    equal(parseDecimal(text), undefined);
  }
});

test('minor units are formatted with two decimals', () => {
  equal(toDecimal(minor(0n)), '0.00');
  equal(toDecimal(minor(5n)), '0.05');
  equal(toDecimal(minor(-5n)), '-0.05');
  equal(toDecimal(minor(123_456n)), '1234.56');
});
