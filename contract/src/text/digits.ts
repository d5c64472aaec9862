/** Digits in typed text. Free of domain knowledge, so every layer of web and server may import it. */

const ANY_DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** Blanks, dashes, dots, brackets, and invisible characters of a copied number. */
const NUMBER_SEPARATORS = /[\s\-.()/\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Value of a digit. The digits 0 to 9 of each script are consecutive code points; adjacent ranges start at multiples of
 * ten.
 */
function digitValue(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  let firstOfRun = codePoint;
  while (ANY_DIGIT.test(String.fromCodePoint(firstOfRun - 1))) firstOfRun -= 1;
  return (codePoint - firstOfRun) % 10;
}

/** Replaces the decimal digits of every script (Thai, Lao, Arabic, full-width) by ASCII digits. */
export const plainDigits = (text: string): string => text.replace(OTHER_DIGITS, (digit) => String(digitValue(digit)));

/** A typed number in ASCII digits without blanks, dashes, dots and brackets; letters stay. */
export const plainNumber = (text: string): string => plainDigits(text).replace(NUMBER_SEPARATORS, '');

/** The ASCII digits of a text: the stored form of bank account numbers. */
export const digitsOf = (text: string): string => plainDigits(text).replace(/\D/g, '');
