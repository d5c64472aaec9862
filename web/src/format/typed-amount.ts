import { plainDigits } from '@krapao/contract/text/digits';
import { currencySign, type DisplayCurrency } from './number.ts';

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
/** Maximum number of characters kept of a pasted text that is not an amount. */
const REFUSED_CHARACTERS_MAX = 40;

const CURRENCY_NAMES: Readonly<Record<DisplayCurrency, string>> = {
  BAHT: '฿|THB|BAHT|บาท|ບາດ',
  LAK: '₭|LAK|KIP|กีบ|ກີບ',
};

const unitPattern = (currency: DisplayCurrency): RegExp =>
  new RegExp(`^(?:${CURRENCY_NAMES[currency]})\\s*|\\s*(?:${CURRENCY_NAMES[currency]})$`, 'giu');
const UNIT_PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  [currencySign('BAHT'), unitPattern('BAHT')],
  [currencySign('LAK'), unitPattern('LAK')],
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

/** Amount without separators: "1234.5". An invalid text stays unchanged, so that parsing refuses it again. */
export function plainAmount(typed: string, field: AmountField): string {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind !== 'amount') return parsed.kind === 'empty' ? '' : typed;
  return parsed.fraction ? `${parsed.whole}.${parsed.fraction}` : parsed.whole;
}

/** Typed amount with its separators and without leading zeros; an invalid text in ASCII digits. */
export function significantAmount(typed: string, field: AmountField): string {
  if (parseTypedAmount(typed, field).kind !== 'amount') return plainDigits(typed).slice(0, REFUSED_CHARACTERS_MAX);
  return plainAmountText(typed, field.unit)
    .replace(/^0+(?=\d)/, '')
    .replace(/^(?=\D)/, '0');
}

/** Amount in groups of three digits as displayed while typing: "1,234.5". An invalid text stays unchanged. */
export function groupedAmount(typed: string, field: AmountField): string {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind !== 'amount') return parsed.kind === 'empty' ? '' : typed;
  const groupedWhole = parsed.whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return parsed.fraction === undefined ? groupedWhole : `${groupedWhole}.${parsed.fraction}`;
}

/** Numeric value of an amount field; 0 for an empty field and an invalid text. */
export function readAmount(typed: string, field: AmountField): number {
  const parsed = parseTypedAmount(typed, field);
  return parsed.kind === 'amount' ? Number(`${parsed.whole}.${parsed.fraction || '0'}`) : 0;
}

/** Whether a text is neither empty nor a valid amount. */
export const isRefusedAmount = (typed: string, field: AmountField): boolean =>
  parseTypedAmount(typed, field).kind === 'refused';

/** Formats a wire amount as the text of an amount field: 962.4 becomes "962.40". */
export const formatTyped = (value: number): string => String(value).replace(/\.\d$/, '$&0');
