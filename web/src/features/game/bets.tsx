import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { Amount } from '../../ui/text/amount.tsx';

/** What is staked in open bets, and how much has been played so far, where the game tells. */
export function Bets({ game: { outstanding, turnover } }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const { currency } = useMoney();
  if (outstanding <= 0 && turnover === null) return null;
  return (
    <div className="rounded-md bg-well px-4 py-2.5 ring-1 ring-line">
      <dl className="grid gap-1 text-sm">
        {turnover !== null && (
          <div className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-muted">{t('turnover')}</dt>
            <dd className="font-semibold">
              <Amount value={turnover} currency={currency} withSign counts />
            </dd>
          </div>
        )}
        {outstanding > 0 && (
          <div className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-amber">{t('outstanding')}</dt>
            <dd className="font-semibold text-amber">
              <Amount value={outstanding} currency={currency} withSign counts />
            </dd>
          </div>
        )}
      </dl>
      {outstanding > 0 && <p className="mt-1 text-sm text-muted">{t('outstandingText')}</p>}
    </div>
  );
}
