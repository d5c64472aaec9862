import { type Currency, toDecimal } from '@krapao/contract/money';

const SIGNS: Readonly<Record<Currency, string>> = { BAHT: '฿', LAK: '₭' };

/** Money in operator texts: thousands grouped, two decimals, as everywhere in the app. */
export const formatMoney = (amount: bigint, currency: Currency): string =>
  SIGNS[currency] + toDecimal(amount).replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** Money on the label of a slice, which is at most 90 pixels wide: whole units without decimals. */
export const formatMoneyShort = (amount: bigint, currency: Currency): string =>
  formatMoney(amount, currency).replace(/\.00$/, '');

/** An operator text with its `{{name}}` placeholders filled in; an unknown placeholder stays unchanged. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
