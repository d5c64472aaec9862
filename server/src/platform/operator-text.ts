import { type Currency, toDecimal } from '@krapao/contract/money';

const SIGNS: Readonly<Record<Currency, string>> = { BAHT: '฿', LAK: '₭' };

/** Money as texts of the operator show it: grouped in threes as everywhere in the app, whole units without decimals. */
export const moneyText = (amount: bigint, currency: Currency): string =>
  SIGNS[currency] +
  toDecimal(amount)
    .replace(/\.00$/, '')
    .replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** A text of the operator with `{{name}}` filled in; a name that isn't known stays as it was written. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
