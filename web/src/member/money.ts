import type { Currency } from '@krapao/contract/money';
import { formatAmount, currencySign } from '../format/number.ts';
import type { AmountField } from '../format/typed-amount.ts';
import { useWallet } from './wallet.ts';

/** How the member's money is written: with its sign, everywhere. LAK members never read of baht. */
export type Money = {
  currency: Currency;
  /** "฿1,234.50", "₭12,000.00": for a sentence. */
  text: (amount: number) => string;
  /** For a field whose amount stays with us and the games: the sign at its end, and how many decimals can be typed. */
  field: AmountField;
  /** For a field whose amount moves through a bank, which has no fractions of a kip. */
  bankField: AmountField;
};

const moneyOf = (currency: Currency): Money => ({
  currency,
  text: (amount) => formatAmount(amount, { currency, withSign: true }),
  field: { unit: currencySign(currency), decimals: 2 },
  bankField: { unit: currencySign(currency), decimals: currency === 'LAK' ? 0 : 2 },
});

const moneys: Readonly<Record<Currency, Money>> = { BAHT: moneyOf('BAHT'), LAK: moneyOf('LAK') };

/** The member's currency and how it is written; baht until the wallet is known. */
export const useMoney = (): Money => moneys[useWallet().data?.profile.currency ?? 'BAHT'];
