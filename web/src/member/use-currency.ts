import type { Currency } from '@krapao/contract/money';
import type { AmountField } from '@krapao/contract/text/typed-amount';
import { formatAmount, currencySign } from '../format/number.ts';
import { useWallet } from './wallet.ts';

/** Formats amounts in the member's currency, always with the currency sign. */
export type CurrencyFormat = {
  currency: Currency;
  /** Formats an amount with sign for use in a sentence: "฿1,234.50", "₭12,000.00". */
  format: (amount: number) => string;
  /** Unit and decimals of an input field for a wallet or game amount. */
  amountField: AmountField;
  /** Unit and decimals of an input field for a bank transfer; banks transfer no fractions of a kip. */
  bankAmountField: AmountField;
};

const currencyFormatOf = (currency: Currency): CurrencyFormat => ({
  currency,
  format: (amount) => formatAmount(amount, { currency, withSign: true }),
  amountField: { unit: currencySign(currency), decimals: 2 },
  bankAmountField: { unit: currencySign(currency), decimals: currency === 'LAK' ? 0 : 2 },
});

const currencyFormats: Readonly<Record<Currency, CurrencyFormat>> = {
  BAHT: currencyFormatOf('BAHT'),
  LAK: currencyFormatOf('LAK'),
};

/** The member's currency and its formats; baht until the wallet has loaded. */
export const useCurrency = (): CurrencyFormat => currencyFormats[useWallet().data?.profile.currency ?? 'BAHT'];
