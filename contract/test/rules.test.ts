import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainPhone } from '../src/rules.ts';
import { digitsOf, plainDigits, plainNumber, trimPasted } from '../src/text/digits.ts';

/** Code points of the digit zero in several scripts. */
const ZERO_CODE_POINTS = [0x0660, 0x06f0, 0x0966, 0x0e50, 0x0ed0, 0x1040, 0x17e0, 0xff10, 0x1d7ce, 0x1d7d8, 0x1fbf0];

test('digits of every script are read as ASCII digits, and other characters stay', () => {
  const number = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(number, fc.constantFrom(...ZERO_CODE_POINTS), (digits, zero) => {
      const foreignDigits = digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
      equal(plainDigits(`a${foreignDigits}.`), `a${digits}.`);
      equal(digitsOf(foreignDigits), digits);
      equal(plainNumber(` ${foreignDigits}-`), digits);
      equal(plainPhone(foreignDigits), plainPhone(digits));
    }),
  );
  equal(plainDigits('½²①ⅷ๏'), '½²①ⅷ๏');
});

test('invisible characters at the ends of a pasted text are removed, and those inside stay', () => {
  const invisible = [' ', '\t', '\u00ad', '\u061c', '\u180e', '\u200b', '\u200d', '\u200e', '\u202a', '\u202e'];
  const ends = fc.string({ unit: fc.constantFrom(...invisible, '\u2060', '\u2066', '\ufeff'), maxLength: 8 });
  fc.assert(
    fc.property(ends, ends, ends, (before, inside, after) => {
      equal(trimPasted(`${before}ก${inside}ข${after}`), `ก${inside}ข`);
      equal(trimPasted(before + after), '');
      equal(plainPhone(`${before}081${inside}2345678${after}`), '0812345678');
    }),
  );
  equal(trimPasted('Mai ❤\ufe0f'), 'Mai ❤\ufe0f');
  // A run of invisible characters costs no more than its length.
  const start = performance.now();
  equal(trimPasted(`x${'\u200b'.repeat(200_000)}x`).length, 200_002);
  ok(performance.now() - start < 1_000);
});
