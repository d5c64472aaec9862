import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { apiQuery } from '../../api/query.ts';
import { refreshBalances } from '../../shared/wallet/refresh-balances.ts';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { formatNumber } from '../../format/number.ts';
import { warm } from '../../routing/screen.ts';
import {
  BonusIcon,
  DepositIcon,
  InviteIcon,
  RefreshIcon,
  RefundIcon,
  SpinIcon,
  WithdrawIcon,
} from '../../ui/icons/member-icons.tsx';
import { Tile, tileClass, TileFace, TileSkeleton, type TileProps } from '../../ui/tile.tsx';

export type HomeTilesProps = {
  wallet: Wallet | undefined;
  onDeposit: () => void;
  onWithdraw: () => void;
  onInvite: () => void;
  onRefund: () => void;
};

/** What can be done now: six tiles, whose places never change. */
export function HomeTiles({ wallet, onDeposit, onWithdraw, onInvite, onRefund }: HomeTilesProps) {
  const { t } = useTranslation('home');
  return (
    <div role="group" aria-label={t('actions')} className="grid grid-cols-3 gap-2 narrow:grid-cols-2">
      <Tile icon={<DepositIcon />} label={t('deposit')} tone="lacquer" onClick={onDeposit} />
      <Tile
        icon={<WithdrawIcon />}
        label={t(wallet?.withdrawal ? 'withdrawing' : 'withdraw')}
        tone="gold"
        onClick={onWithdraw}
      />
      <SpinOrRefresh coins={wallet?.profile.coin} />
      <Tile icon={<InviteIcon />} label={t('invite')} tone="gold" onClick={onInvite} />
      <LinkTile href="/user/bonus" icon={<BonusIcon />} label={t('bonusConditions')} tone="gold" />
      <Tile icon={<RefundIcon />} label={t('refund')} tone="gold" onClick={onRefund} />
    </div>
  );
}

/** The wheel while it is open, else asking all games for their balances; nothing to press until that is known. */
function SpinOrRefresh({ coins }: { coins: number | undefined }) {
  const { t } = useTranslation('home');
  const { data, isLoading } = useQuery(apiQuery('GET /api/spinwheel/active', { quiet: true }));
  if (isLoading) return <TileSkeleton />;
  if (!data?.isActive)
    return <Tile icon={<RefreshIcon />} label={t('refreshAll')} onClick={() => void refreshBalances()} />;
  const count = coins !== undefined && (
    <>
      <span aria-hidden="true">{formatNumber(coins, 0)}</span>
      <span className="sr-only">{t('coins', { count: coins })}</span>
    </>
  );
  return (
    <LinkTile
      href="/user/spin"
      icon={<SpinIcon />}
      label={t('spin')}
      tone="gold"
      {...(count ? { badge: count } : {})}
    />
  );
}

function LinkTile({ href, ...face }: TileProps & { href: string }): ReactNode {
  return (
    <Link href={href} className={tileClass} onPointerEnter={() => warm(href)} onFocus={() => warm(href)}>
      <TileFace {...face} />
    </Link>
  );
}
