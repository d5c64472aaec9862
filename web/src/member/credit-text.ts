import { toWire } from '@krapao/contract/money';
import { useTranslation } from 'react-i18next';
import { currencySign, formatAmount, formatNumber } from '../format/number.ts';
import { useCurrency } from './use-currency.ts';
import { creditAmount, type GameAccount } from './wallet.ts';

/**
 * Formats an amount in the credits of a game: "฿100.00 = 1,000.00 in-game credits", or "฿1 = 10 in-game credits"
 * without an amount. Returns undefined if one credit equals one currency unit.
 */
export function useCreditText(): (game: Pick<GameAccount, 'ftWalletSlot'>, amount?: number) => string | undefined {
  const { t } = useTranslation('transfer');
  const { currency, format } = useCurrency();
  return ({ ftWalletSlot }, amount = 0) => {
    if (ftWalletSlot === 1) return undefined;
    const credits = amount > 0 ? creditAmount({ amount, ftWalletSlot }) : undefined;
    return credits === undefined
      ? t('credits', { money: `${currencySign(currency)}1`, credits: formatNumber(ftWalletSlot, 0) })
      : t('credits', { money: format(amount), credits: formatAmount(toWire(credits)) });
  };
}
