import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { balancesRefresh, refreshBalances } from '../../api/refresh-balances.ts';
import { type GameAccount, useWallet, type Wallet } from '../../api/wallet.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { BalancePlaque } from './balance-plaque.tsx';
import { GameShelves } from './game-shelves.tsx';
import { HomeTiles } from './home-tiles.tsx';
import { ReferralBonus } from './referral-bonus.tsx';

export type HomePageProps = {
  onDeposit: () => void;
  onWithdraw: () => void;
  onTransfer: () => void;
  onInvite: () => void;
  onRefund: () => void;
  onReferral: (invite: Wallet['invite']) => void;
  onGame: (game: GameAccount) => void;
};

/**
 * How much there is, where it is, what can be done now. Opening the page asks the providers for their balances; until
 * they have told, what the wallet knows is shown.
 */
export function HomePage(props: HomePageProps) {
  const { onDeposit, onWithdraw, onTransfer, onInvite, onRefund, onReferral, onGame } = props;
  const { t } = useTranslation('home');
  const wallet = useWallet();
  const refresh = useQuery(balancesRefresh);
  // Without a line there is no answer yet either: the places wait, and the banner says why.
  const isFirstLoad = wallet.isPending;
  const currency = wallet.data?.profile.currency;
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] gap-6 lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-10"
      aria-busy={isFirstLoad}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:sticky lg:top-6">
        <h1 tabIndex={-1} className="min-h-8 truncate text-lg font-semibold narrow:whitespace-normal">
          {isFirstLoad ? (
            <Skeleton className="h-6 w-48" />
          ) : (
            wallet.data && t('greeting', { name: wallet.data.profile.name })
          )}
        </h1>
        {wallet.isLoadingError ? (
          <Card>
            <ErrorState title={t('failed')} onRetry={() => void wallet.refetch()} />
          </Card>
        ) : (
          <BalancePlaque
            wallet={wallet.data}
            isLoading={isFirstLoad}
            lastSync={refresh.data ?? null}
            isChecking={refresh.isFetching}
            onCheck={() => void refreshBalances()}
            onTransfer={onTransfer}
          />
        )}
        <HomeTiles
          wallet={wallet.data}
          onDeposit={onDeposit}
          onWithdraw={onWithdraw}
          onInvite={onInvite}
          onRefund={onRefund}
        />
        <ReferralBonus
          invite={wallet.data?.invite}
          isLoading={isFirstLoad}
          currency={currency}
          onReceive={onReferral}
        />
      </div>
      {!wallet.isLoadingError && (
        <GameShelves games={wallet.data?.slots} isLoading={isFirstLoad} currency={currency} onGame={onGame} />
      )}
    </div>
  );
}
