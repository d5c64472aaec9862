import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { balancesRefresh, refreshBalances } from '../../shared/wallet/refresh-balances.ts';
import { type GameAccount, useWallet, type Wallet } from '../../shared/wallet/use-wallet.ts';
import { warm } from '../../routing/screen.ts';
import { buttonClass } from '../../ui/button-class.ts';
import { GuideIcon } from '../../ui/icons/shell-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
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
  // A load that fails is only logged: what was never loaded stays a skeleton, and "check balance" loads it again.
  const isFirstLoad = !wallet.data;
  // The shelves are most of the work: the balance is shown before them, and they are rendered in slices.
  const games = useDeferredValue(wallet.data?.slots);
  const currency = wallet.data?.profile.currency;
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] gap-6 lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-10"
      aria-busy={wallet.isPending || (!isFirstLoad && !games)}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:sticky lg:top-6">
        <h1 tabIndex={-1} className="min-h-8 truncate text-lg font-semibold narrow:whitespace-normal">
          {isFirstLoad ? (
            <Skeleton className="h-6 w-48" />
          ) : (
            wallet.data && t('greeting', { name: wallet.data.profile.name })
          )}
        </h1>
        <BalancePlaque
          wallet={wallet.data}
          isLoading={isFirstLoad}
          lastSync={refresh.data ?? null}
          isChecking={refresh.isFetching}
          onCheck={() => void refreshBalances()}
          onTransfer={onTransfer}
        />
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
        <Link
          href="/user/howto"
          onPointerEnter={() => warm('/user/howto')}
          onFocus={() => warm('/user/howto')}
          className={buttonClass('plain', 'sm')}
        >
          <GuideIcon className="size-5" />
          {t('howto')}
        </Link>
      </div>
      <GameShelves games={games} isLoading={!games} currency={currency} onGame={onGame} />
    </div>
  );
}
