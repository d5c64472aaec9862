/** Digits in typed text. No domain knowledge: every layer of web and server may import it. */

const DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** Blanks, dashes, dots, brackets, and invisible characters of a copied number. */
const SEPARATORS = /[\s\-.()/\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Each script's digits 0 to 9 are consecutive code points; ranges touch only at multiples of ten. */
function digitValue(digit: string): number {
  const at = digit.codePointAt(0) ?? 0;
  let first = at;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (at - first) % 10;
}

/** A typed text with the decimal digits of every script (Thai, Lao, Arabic, full-width) replaced by ASCII digits. */
export const plainDigits = (typed: string): string => typed.replace(OTHER_DIGITS, (digit) => String(digitValue(digit)));

/** A typed number in ASCII digits without blanks, dashes, dots and brackets; letters stay. */
export const plainNumber = (typed: string): string => plainDigits(typed).replace(SEPARATORS, '');

/** ASCII digits only: the form in which bank account numbers are compared and stored. */
export const digitsOf = (text: string): string => plainDigits(text).replace(/\D/g, '');
