/**
 * Digits and invisible characters in typed and pasted text. Free of domain knowledge, so every layer of web and server
 * may import it.
 */

const ANY_DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** Blanks, dashes, dots, brackets, and invisible characters of a copied number. */
const NUMBER_SEPARATORS = /[\s\-.()/\u2010-\u2015\p{Cf}]/gu;
/** Blanks, and format characters: zero-width, marks of direction, soft hyphens, byte order marks. Linear in a run. */
const INVISIBLE_ENDS = /^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu;

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

/** A pasted text without the blanks and invisible characters that copying adds at its ends. */
export const trimPasted = (text: string): string => text.replaceAll(INVISIBLE_ENDS, '');

/** The ASCII digits of a text: the stored form of bank account numbers. */
export const digitsOf = (text: string): string => plainDigits(text).replace(/\D/g, '');
