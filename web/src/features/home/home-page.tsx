import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { balancesRefresh, refreshBalances } from '../../api/refresh-balances.ts';
import { type GameAccount, useWallet } from '../../api/wallet.ts';
import { DepositIcon, RefreshIcon, TransferIcon, WithdrawIcon } from '../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tile } from '../../ui/tile.tsx';
import { BalancePlaque } from './balance-plaque.tsx';
import { GameShelves } from './game-shelves.tsx';
import { ReferralBonus } from './referral-bonus.tsx';

export type HomePageProps = {
  onDeposit: () => void;
  onWithdraw: () => void;
  onTransfer: () => void;
  onGame: (game: GameAccount) => void;
};

/**
 * How much there is, where it is, what can be done now. Opening the page asks the providers for their balances; until
 * they have told, what the wallet knows is shown.
 */
export function HomePage({ onDeposit, onWithdraw, onTransfer, onGame }: HomePageProps) {
  const { t } = useTranslation('home');
  const wallet = useWallet();
  const refresh = useQuery(balancesRefresh);
  const isFirstLoad = wallet.isLoading;
  const currency = wallet.data?.profile.currency;
  return (
    <div className="grid gap-6 lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-10" aria-busy={isFirstLoad}>
      <div className="grid gap-4 lg:sticky lg:top-6">
        <h1 tabIndex={-1} className="min-h-8 truncate text-lg font-semibold">
          {isFirstLoad ? <Skeleton className="h-6 w-48" /> : t('greeting', { name: wallet.data?.profile.name ?? '' })}
        </h1>
        <BalancePlaque
          wallet={wallet.data}
          isLoading={isFirstLoad}
          lastSync={refresh.data ?? null}
          isChecking={refresh.isFetching}
          onCheck={() => void refreshBalances()}
        />
        <div
          role="group"
          aria-label={t('actions')}
          className="grid grid-cols-2 gap-2 min-[24rem]:grid-cols-4 min-[24rem]:[&>button]:px-0.5"
        >
          <Tile icon={<DepositIcon />} label={t('deposit')} tone="lacquer" onClick={onDeposit} />
          <Tile
            icon={<WithdrawIcon />}
            label={t(wallet.data?.withdrawal ? 'withdrawing' : 'withdraw')}
            tone="gold"
            onClick={onWithdraw}
          />
          <Tile icon={<TransferIcon />} label={t('transfer')} tone="gold" onClick={onTransfer} />
          <Tile icon={<RefreshIcon />} label={t('refreshAll')} onClick={() => void refreshBalances()} />
        </div>
        <ReferralBonus amount={wallet.data?.invite.amount} isLoading={isFirstLoad} currency={currency} />
      </div>
      <GameShelves games={wallet.data?.slots} isLoading={isFirstLoad} currency={currency} onGame={onGame} />
    </div>
  );
}
