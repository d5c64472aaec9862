import { plainDigits } from './digits.ts';

/** Currency sign or name at the end of an amount field, and the number of decimals of its amounts. */
export type AmountField = { unit: string; decimals: 0 | 2 };

/** Why a text is not an amount; a key of `common:amountFault`. */
export type AmountError = 'malformed' | 'ambiguous' | 'decimals' | 'fraction' | 'negative' | 'tooLarge';

export type TypedAmount =
  | { kind: 'empty' }
  /** Amount in ASCII digits. `fraction` is undefined without a decimal sign, and '' if no digit follows the sign. */
  | { kind: 'amount'; whole: string; fraction: string | undefined }
  | { kind: 'refused'; reason: AmountError };

/** Maximum number of whole digits; a JSON number represents any such amount exactly. */
const WHOLE_DIGITS_MAX = 13;

const unitPattern = (names: string): RegExp => new RegExp(`^(?:${names})\\s*|\\s*(?:${names})$`, 'giu');
/** Names of a currency, by its sign. */
const UNIT_PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  ['฿', unitPattern('฿|THB|BAHT|บาท|ບາດ')],
  ['₭', unitPattern('₭|LAK|KIP|กีบ|ກີບ')],
]);

const LAST_SEPARATOR = /^(?<head>.*)(?<sign>[.,٫])(?<tail>\d*)$/;
const GROUPED_DIGITS = /^[1-9]\d{0,2}(?<group>[.,' ])\d{3}(?:\k<group>\d{3})*$/;

const amountResult = (whole: string, fraction?: string): TypedAmount => {
  const digits = whole.replace(/^0+(?=\d)/, '');
  if (digits.length > WHOLE_DIGITS_MAX) return refusedResult('tooLarge');
  return { kind: 'amount', whole: digits || '0', fraction };
};
const refusedResult = (reason: AmountError): TypedAmount => ({ kind: 'refused', reason });

/**
 * Converts the text of an amount to ASCII. Digits of any script, blanks, apostrophes and separators become one
 * character each. A plus sign, the sign or name of the field's currency, and invisible characters are removed.
 */
export function plainAmountText(typed: string, unit: string): string {
  const text = plainDigits(typed)
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s/gu, ' ')
    .replaceAll(/['’ʼ＇٬]/gu, "'")
    .replaceAll(/[，،]/gu, ',')
    .replaceAll(/[．。]/gu, '.')
    .replaceAll(/[-−–—－]/gu, '-')
    .trim()
    .replace(/^[+＋]\s*/u, '');
  const unitNames = UNIT_PATTERNS.get(unit);
  return unitNames ? text.replaceAll(unitNames, '') : text;
}

/** Digits of a whole number, written without groups or in correct groups of three; undefined for other texts. */
function ungroupedDigitsOf(text: string): string | undefined {
  if (/^\d*$/.test(text)) return text;
  return GROUPED_DIGITS.test(text) ? text.replaceAll(/\D/g, '') : undefined;
}

/**
 * Parses a typed or pasted amount. A comma or point before one or two final digits is the decimal sign; before three
 * digits it is a group separator. A single point before three digits is refused unless the currency has no decimals,
 * because `1.000` may mean one or one thousand.
 */
export function parseTypedAmount(typed: string, { unit, decimals }: AmountField): TypedAmount {
  const text = plainAmountText(typed, unit);
  if (text === '') return { kind: 'empty' };
  if (text.startsWith('-')) return refusedResult('negative');
  if (!/^[\d.,٫' ]+$/.test(text)) return refusedResult('malformed');
  const { head = '', sign = '', tail = '' } = LAST_SEPARATOR.exec(text)?.groups ?? {};
  if (sign === '') {
    const whole = ungroupedDigitsOf(text);
    return whole ? amountResult(whole) : refusedResult('malformed');
  }
  if (tail.length > 2) return amountWithLongTail(text, head, decimals);
  const whole = tail === '' ? wholeBeforeSign(head, { unit, decimals }) : ungroupedDigitsOf(head);
  if (whole === undefined) return refusedResult('malformed');
  return decimals === 0 && /[1-9]/.test(tail) ? refusedResult('fraction') : amountResult(whole, tail);
}

/** Whole digits before a decimal sign at the end of the text; undefined if they are not a valid amount. */
function wholeBeforeSign(head: string, field: AmountField): string | undefined {
  const parsed = parseTypedAmount(head, field);
  if (parsed.kind === 'empty') return '0';
  return parsed.kind === 'amount' && parsed.fraction === undefined ? parsed.whole : undefined;
}

/** Parses a text with three or more digits after the last comma or point: digit groups, or too many decimals. */
function amountWithLongTail(text: string, head: string, decimals: 0 | 2): TypedAmount {
  const separator = GROUPED_DIGITS.exec(text)?.groups?.['group'];
  if (separator === undefined) return refusedResult(ungroupedDigitsOf(head) === undefined ? 'malformed' : 'decimals');
  const hasSinglePoint = separator === '.' && text.indexOf('.') === text.lastIndexOf('.');
  return hasSinglePoint && decimals > 0 ? refusedResult('ambiguous') : amountResult(text.replaceAll(/\D/g, ''));
}
