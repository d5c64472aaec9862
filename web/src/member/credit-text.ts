import { toWire } from '@krapao/contract/money';
import { useTranslation } from 'react-i18next';
import { currencySign, formatAmount, formatNumber } from '../format/number.ts';
import { useMoney } from './money.ts';
import { creditAmount, type GameAccount } from './wallet.ts';

/**
 * Formats an amount in the credits of a game: "฿100.00 = 1,000.00 in-game credits", or "฿1 = 10 in-game credits"
 * without an amount. Undefined if a credit equals the currency unit.
 */
export function useCreditText(): (game: Pick<GameAccount, 'ftWalletSlot'>, amount?: number) => string | undefined {
  const { t } = useTranslation('transfer');
  const { currency, text } = useMoney();
  return ({ ftWalletSlot }, amount = 0) => {
    if (ftWalletSlot === 1) return undefined;
    const credit = amount > 0 ? creditAmount({ amount, ftWalletSlot }) : undefined;
    return credit === undefined
      ? t('credits', { money: `${currencySign(currency)}1`, credits: formatNumber(ftWalletSlot, 0) })
      : t('credits', { money: text(amount), credits: formatAmount(toWire(credit)) });
  };
}
