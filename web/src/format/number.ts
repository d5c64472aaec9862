/** Currencies with a currency sign, named as in the contract. */
export type DisplayCurrency = keyof typeof CURRENCY_SIGNS;

const CURRENCY_SIGNS = { BAHT: '฿', LAK: '₭' } as const;

export const currencySign = (currency: DisplayCurrency): string => CURRENCY_SIGNS[currency];

/** Formats a number with commas between groups of three digits, in every language, as on bank slips. */
export function formatNumber(value: number, decimalsMin = 2, decimalsMax = Math.max(2, decimalsMin)): string {
  if (!Number.isFinite(value)) return '-';
  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimalsMin,
    maximumFractionDigits: decimalsMax,
  }).format(value === 0 ? 0 : value);
}

export type AmountOptions = {
  currency?: DisplayCurrency | undefined;
  withSign?: boolean;
  signed?: boolean;
};

/** Formats an amount with two decimals in every currency; "-" if it isn't a number. */
export function formatAmount(value: number, { currency = 'BAHT', withSign, signed }: AmountOptions = {}): string {
  if (!Number.isFinite(value)) return '-';
  const digits = formatNumber(Math.abs(value));
  const plusOrMinus = value < 0 ? '−' : signed && value > 0 ? '+' : '';
  return `${plusOrMinus}${withSign ? CURRENCY_SIGNS[currency] : ''}${digits}`;
}
