import { useTranslation } from 'react-i18next';
import { useCreditWords } from '../../shared/wallet/use-credit-words.ts';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';

/** That the game counts in another unit than the wallet, where it does. */
export function CreditRate({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const rate = useCreditWords()(game);
  return rate && <p className="text-sm text-muted">{t('rate', { rate })}</p>;
}
