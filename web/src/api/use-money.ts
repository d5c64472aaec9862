import { type Currency, formatAmount, formatNumber, signOf } from '../format/number.ts';
import { useWallet } from './wallet.ts';

/** How the member's money is written: with its sign, everywhere. LAK members never read of baht. */
export type Money = {
  currency: Currency;
  /** "฿1,234.50", "₭12,000": for a sentence. */
  text: (amount: number) => string;
  /** The same without decimals where there are none: for limits. */
  limit: (amount: number) => string;
  /** For a field that takes an amount: the sign at its end, and how many decimals can be typed. */
  field: { unit: string; decimals: 0 | 2 };
};

const moneyOf = (currency: Currency): Money => ({
  currency,
  text: (amount) => formatAmount(amount, { currency, withSign: true }),
  limit: (amount) => `${signOf(currency)}${formatNumber(amount, 0)}`,
  field: { unit: signOf(currency), decimals: currency === 'LAK' ? 0 : 2 },
});

const moneys: Readonly<Record<Currency, Money>> = { BAHT: moneyOf('BAHT'), LAK: moneyOf('LAK') };

/** The member's currency and how it is written; baht until the wallet is known. */
export const useMoney = (): Money => moneys[useWallet().data?.profile.currency ?? 'BAHT'];
