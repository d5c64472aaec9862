import { plainDigits } from '@krapao/contract/text/digits';
import { currencySign, type DisplayCurrency } from './number.ts';

/** The currency sign at the end of an amount field, and how many decimals its amounts have. */
export type AmountField = { unit: string; decimals: 0 | 2 };

/** Why a text is refused as an amount; a key of `common:amountFault`. */
export type AmountError = 'malformed' | 'ambiguous' | 'decimals' | 'fraction' | 'negative' | 'tooLarge';

export type TypedAmount =
  | { kind: 'empty' }
  /** ASCII digits; `fraction` is undefined without a decimal sign, and '' directly after one. */
  | { kind: 'amount'; whole: string; fraction: string | undefined }
  | { kind: 'refused'; reason: AmountError };

/** Maximum digits before the decimal sign that a wire number represents exactly. */
const WHOLE_DIGITS_MAX = 13;
/** Kept characters of a pasted text that is not an amount. */
const REFUSED_CHARACTERS_MAX = 40;

const UNIT_WORDS: Readonly<Record<DisplayCurrency, string>> = {
  BAHT: '฿|THB|BAHT|บาท|ບາດ',
  LAK: '₭|LAK|KIP|กีบ|ກີບ',
};

const unitPattern = (currency: DisplayCurrency): RegExp =>
  new RegExp(`^(?:${UNIT_WORDS[currency]})\\s*|\\s*(?:${UNIT_WORDS[currency]})$`, 'giu');
const UNITS: ReadonlyMap<string, RegExp> = new Map([
  [currencySign('BAHT'), unitPattern('BAHT')],
  [currencySign('LAK'), unitPattern('LAK')],
]);

const SIGN = /^(?<head>.*)(?<sign>[.,٫])(?<tail>\d*)$/;
const GROUPS = /^[1-9]\d{0,2}(?<group>[.,' ])\d{3}(?:\k<group>\d{3})*$/;

const amount = (whole: string, fraction?: string): TypedAmount => {
  const digits = whole.replace(/^0+(?=\d)/, '');
  if (digits.length > WHOLE_DIGITS_MAX) return refused('tooLarge');
  return { kind: 'amount', whole: digits || '0', fraction };
};
const refused = (reason: AmountError): TypedAmount => ({ kind: 'refused', reason });

/**
 * The text of an amount in ASCII: digits of any script, blanks, apostrophes and separators each as one character. A
 * plus, the sign or name of the field's currency, and invisible characters are left out.
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
  const units = UNITS.get(unit);
  return units ? text.replaceAll(units, '') : text;
}

/** Digits of a whole number in well-formed groups of three, or without groups. */
function wholeOf(text: string): string | undefined {
  if (/^\d*$/.test(text)) return text;
  return GROUPS.test(text) ? text.replaceAll(/\D/g, '') : undefined;
}

/**
 * Reads an amount as it is typed or pasted. A comma or point before one or two final digits is the decimal sign;
 * before three it groups. A single point before three digits is refused unless the currency has no decimals, because
 * `1.000` may be one or one thousand.
 */
export function parseTypedAmount(typed: string, { unit, decimals }: AmountField): TypedAmount {
  const text = plainAmountText(typed, unit);
  if (text === '') return { kind: 'empty' };
  if (text.startsWith('-')) return refused('negative');
  if (!/^[\d.,٫' ]+$/.test(text)) return refused('malformed');
  const { head = '', sign = '', tail = '' } = SIGN.exec(text)?.groups ?? {};
  if (sign === '') {
    const whole = wholeOf(text);
    return whole ? amount(whole) : refused('malformed');
  }
  if (tail.length > 2) return amountWithLongTail(text, head, decimals);
  const whole = tail === '' ? wholeBefore(head, { unit, decimals }) : wholeOf(head);
  if (whole === undefined) return refused('malformed');
  return decimals === 0 && /[1-9]/.test(tail) ? refused('fraction') : amount(whole, tail);
}

/** The whole number before a trailing decimal sign; undefined if it is not a valid amount alone. */
function wholeBefore(head: string, field: AmountField): string | undefined {
  const before = parseTypedAmount(head, field);
  if (before.kind === 'empty') return '0';
  return before.kind === 'amount' && before.fraction === undefined ? before.whole : undefined;
}

/** Three or more digits after the last comma or point: groups, or too many decimals. */
function amountWithLongTail(text: string, head: string, decimals: 0 | 2): TypedAmount {
  const group = GROUPS.exec(text)?.groups?.['group'];
  if (group === undefined) return refused(wholeOf(head) === undefined ? 'malformed' : 'decimals');
  const isSinglePoint = group === '.' && text.indexOf('.') === text.lastIndexOf('.');
  return isSinglePoint && decimals > 0 ? refused('ambiguous') : amount(text.replaceAll(/\D/g, ''));
}

/** An amount without separators: "1234.5". Refused text stays as it is, so that it is refused again when it is read. */
export function plainAmount(typed: string, field: AmountField): string {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind !== 'amount') return parsed.kind === 'empty' ? '' : typed;
  return parsed.fraction ? `${parsed.whole}.${parsed.fraction}` : parsed.whole;
}

/** A typed amount with its separators, without leading zeros; refused text in ASCII digits. */
export function significantAmount(typed: string, field: AmountField): string {
  if (parseTypedAmount(typed, field).kind !== 'amount') return plainDigits(typed).slice(0, REFUSED_CHARACTERS_MAX);
  return plainAmountText(typed, field.unit)
    .replace(/^0+(?=\d)/, '')
    .replace(/^(?=\D)/, '0');
}

/** An amount in groups of three, as it is displayed while it is typed: "1,234.5". Refused text stays as it is. */
export function groupedAmount(typed: string, field: AmountField): string {
  const parsed = parseTypedAmount(typed, field);
  if (parsed.kind !== 'amount') return parsed.kind === 'empty' ? '' : typed;
  const whole = parsed.whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return parsed.fraction === undefined ? whole : `${whole}.${parsed.fraction}`;
}

/** The number in an amount field; 0 for an empty field and for text that is refused. */
export function readAmount(typed: string, field: AmountField): number {
  const parsed = parseTypedAmount(typed, field);
  return parsed.kind === 'amount' ? Number(`${parsed.whole}.${parsed.fraction || '0'}`) : 0;
}

/** Whether a text is neither empty nor an amount. */
export const isRefusedAmount = (typed: string, field: AmountField): boolean =>
  parseTypedAmount(typed, field).kind === 'refused';

/** Formats a wire amount as typed text: 962.4 becomes 962.40. */
export const formatTyped = (value: number): string => String(value).replace(/\.\d$/, '$&0');
