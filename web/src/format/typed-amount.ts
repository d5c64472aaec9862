import { plainDigits } from '@krapao/contract/text/digits';
import { type AmountField, parseTypedAmount, plainAmountText } from '@krapao/contract/text/typed-amount';

/** Maximum number of characters kept of a pasted text that is not an amount. */
const REFUSED_CHARACTERS_MAX = 40;

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
