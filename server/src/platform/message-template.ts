import { CURRENCY_SIGNS, type Currency, toDecimal } from '@krapao/contract/money';

/** Money in operator texts: thousands grouped, two decimals, as in the app. */
export const formatMoney = (amount: bigint, currency: Currency): string =>
  CURRENCY_SIGNS[currency] + toDecimal(amount).replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** Money on the label of a wheel slice, which is at most 90 pixels wide: whole units without decimals. */
export const formatMoneyShort = (amount: bigint, currency: Currency): string =>
  formatMoney(amount, currency).replace(/\.00$/, '');

/** Fills the `{{name}}` placeholders of an operator text. An unknown placeholder stays unchanged. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
