import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainPhone } from '../src/rules.ts';
import { digitsOf, plainDigits, plainNumber } from '../src/text/digits.ts';

/** First digits of scripts, on pages with and without other digits beside them. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x0e50, 0x0ed0, 0x1040, 0x17e0, 0xff10, 0x1d7ce, 0x1d7d8, 0x1fbf0];

test('digits of every script are read as ASCII digits, and other characters stay', () => {
  const number = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(number, fc.constantFrom(...ZEROS), (digits, zero) => {
      const written = digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
      equal(plainDigits(`a${written}.`), `a${digits}.`);
      equal(digitsOf(written), digits);
      equal(plainNumber(` ${written}-`), digits);
      equal(plainPhone(written), plainPhone(digits));
    }),
  );
  equal(plainDigits('½²①ⅷ๏'), '½²①ⅷ๏');
});
