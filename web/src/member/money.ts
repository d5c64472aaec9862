import type { Currency } from '@krapao/contract/money';
import { formatAmount, currencySign } from '../format/number.ts';
import type { AmountField } from '../format/typed-amount.ts';
import { useWallet } from './wallet.ts';

/** Formats the member's money, always with its sign. */
export type Money = {
  currency: Currency;
  /** "฿1,234.50", "₭12,000.00": for sentences. */
  text: (amount: number) => string;
  /** Field of an amount in the wallet or a game: its unit and decimals. */
  field: AmountField;
  /** Field of an amount that a bank transfers, without fractions of a kip. */
  bankField: AmountField;
};

const moneyOf = (currency: Currency): Money => ({
  currency,
  text: (amount) => formatAmount(amount, { currency, withSign: true }),
  field: { unit: currencySign(currency), decimals: 2 },
  bankField: { unit: currencySign(currency), decimals: currency === 'LAK' ? 0 : 2 },
});

const moneys: Readonly<Record<Currency, Money>> = { BAHT: moneyOf('BAHT'), LAK: moneyOf('LAK') };

/** The member's currency and its format; baht until the wallet has loaded. */
export const useMoney = (): Money => moneys[useWallet().data?.profile.currency ?? 'BAHT'];
