import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Currency, formatAmount, formatNumber, signOf } from '../format/number.ts';
import { useWallet } from './wallet.ts';

/** How the member's money is written. LAK members never read of baht. */
export type Money = {
  currency: Currency;
  /** "1,234.50 baht", "12,000 kip", in the language shown. */
  words: (amount: number) => string;
  /** The same without decimals where there are none: for limits. */
  limit: (amount: number) => string;
  /** For a field that takes an amount: the sign at its end, and how many decimals can be typed. */
  field: { unit: string; decimals: 0 | 2 };
};

/** The member's currency and its words; baht until the wallet is known. */
export function useMoney(): Money {
  const { t } = useTranslation('parts');
  const { data } = useWallet();
  const currency = data?.profile.currency ?? 'BAHT';
  return useMemo(
    () => ({
      currency,
      words: (amount) => t(`money.${currency}`, { amount: formatAmount(amount, { currency }) }),
      limit: (amount) => t(`money.${currency}`, { amount: formatNumber(amount, 0) }),
      field: { unit: signOf(currency), decimals: currency === 'LAK' ? 0 : 2 },
    }),
    [t, currency],
  );
}
