import { useTranslation } from 'react-i18next';
import type { Money } from '../../../shared/wallet/use-money.ts';
import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';

/** @returns how much a prize is, in words of its kind: money, coins, one bonus, one thing */
export function usePrizeWords(money: Money): (kind: PrizeKind, amount: number) => string {
  const { t } = useTranslation('spinwheel');
  return (kind, amount) => {
    if (kind === 'MONEY') return money.text(amount);
    if (kind === 'COINS') return t('coinCount', { count: amount });
    return t(kind === 'BONUS' ? 'oneBonus' : 'onePiece', { count: amount });
  };
}
