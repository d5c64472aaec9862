import type { Currency } from '@krapao/contract/money';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { serverNow } from '../../api/call.ts';
import { apiQuery } from '../../api/query/query.ts';
import { formatNumber } from '../../format/number.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { balancesRefresh, refreshBalances, type GameAccount, useWallet, type Wallet } from '../../member/wallet.ts';
import { useLazyModule } from '../../routing/navigation.ts';
import { prefetch } from '../../routing/router.ts';
import { Amount } from '../../ui/amount.tsx';
import { buttonClass, Button } from '../../ui/core/button.tsx';
import { GuideIcon } from '../../ui/core/icons.tsx';
import {
  BonusIcon,
  DepositIcon,
  InviteIcon,
  RefreshIcon,
  RefundIcon,
  SpinIcon,
  WithdrawIcon,
} from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Tile, tileClass, TileFace, TileSkeleton, type TileProps } from '../../ui/tile.tsx';
import { BalancePlaque } from './balance-plaque.tsx';
import { GameShelves } from './games.tsx';
import type { LobbyProps } from './lobby.tsx';

export type HomePageProps = {
  /** Right of the greeting. */
  bell: ReactNode;
  onDeposit: () => void;
  onWithdraw: () => void;
  onTransfer: () => void;
  onInvite: () => void;
  onRefund: () => void;
  onReferral: (invite: Wallet['invite']) => void;
  onGame: (game: GameAccount) => void;
  onPlay: LobbyProps['onPlay'];
};

/**
 * Balances, games and actions. Opening the page checks all game balances; the stored ones are shown until the check
 * ends.
 */
export function HomePage(props: HomePageProps) {
  const { bell, onDeposit, onWithdraw, onTransfer, onInvite, onRefund, onReferral, onGame, onPlay } = props;
  const { t } = useTranslation('home');
  const wallet = useWallet();
  const refreshQuery = useQuery(balancesRefresh);
  // A failed load is only logged: before the first success the skeleton stays, and "check balance" retries.
  const isFirstLoad = !wallet.data;
  // Rendering the game shelves takes most of the time: the balance renders first, the shelves follow in slices.
  const games = useDeferredValue(wallet.data?.slots);
  const currency = wallet.data?.profile.currency;
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] gap-6 lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-10"
      aria-busy={wallet.isPending || (!isFirstLoad && !games)}
    >
      <div className="home-column grid grid-cols-[minmax(0,1fr)] gap-3 lg:sticky lg:top-6 lg:gap-4">
        <div className="flex items-center gap-3">
          <h1 tabIndex={-1} className="min-h-8 min-w-0 grow truncate text-lg font-semibold narrow:whitespace-normal">
            {isFirstLoad ? (
              <Skeleton className="h-6 w-48" />
            ) : (
              wallet.data && t('greeting', { name: wallet.data.profile.name })
            )}
          </h1>
          {bell}
        </div>
        <BalancePlaque
          wallet={wallet.data}
          isLoading={isFirstLoad}
          lastSync={refreshQuery.data ?? null}
          isChecking={refreshQuery.isFetching}
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
        <LobbyBox games={games} free={wallet.data?.wallet.amount ?? 0} onGame={onGame} onPlay={onPlay} />
        <ReferralBonus
          invite={wallet.data?.invite}
          isLoading={isFirstLoad}
          currency={currency}
          onReceive={onReferral}
        />
        <Link
          href="/user/howto"
          onPointerEnter={() => prefetch('/user/howto')}
          onFocus={() => prefetch('/user/howto')}
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

async function loadLobby() {
  const [{ Lobby }] = await Promise.all([import('./lobby.tsx'), loadNamespaces(['lobby'])]);
  return { Lobby };
}

/** The row of games, loaded after hydration; its height is reserved. Without its chunk, the shelves have all games. */
function LobbyBox({ games, ...rest }: Omit<LobbyProps, 'games' | 'now'> & { games: LobbyProps['games'] | undefined }) {
  const [now] = useState(serverNow);
  const { loadedModule } = useLazyModule(loadLobby, { isOptional: true });
  return (
    <div className="h-23">{loadedModule && games && <loadedModule.Lobby games={games} now={now} {...rest} />}</div>
  );
}

export type HomeTilesProps = {
  wallet: Wallet | undefined;
  onDeposit: () => void;
  onWithdraw: () => void;
  onInvite: () => void;
  onRefund: () => void;
};

/** Six action tiles in fixed positions. */
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

/**
 * Tile of the wheel if it is active, else a tile that checks all balances. A skeleton until the wheel's state is known.
 */
function SpinOrRefresh({ coins }: { coins: number | undefined }) {
  const { t } = useTranslation('home');
  const { data, isLoading } = useQuery(apiQuery('GET /api/spinwheel/active', { quiet: true }));
  if (isLoading) return <TileSkeleton />;
  if (!data?.isActive)
    return <Tile icon={<RefreshIcon />} label={t('refreshAll')} onClick={() => void refreshBalances()} />;
  const coinCount = coins !== undefined && (
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
      {...(coinCount ? { badge: coinCount } : {})}
    />
  );
}

function LinkTile({ href, ...face }: TileProps & { href: string }): ReactNode {
  return (
    <Link href={href} className={tileClass} onPointerEnter={() => prefetch(href)} onFocus={() => prefetch(href)}>
      <TileFace {...face} />
    </Link>
  );
}

export type ReferralBonusProps = {
  invite: Wallet['invite'] | undefined;
  isLoading: boolean;
  currency: Currency | undefined;
  onReceive: (invite: Wallet['invite']) => void;
};

/** Referral money earned so far, with a button to receive it. */
export function ReferralBonus({ invite, isLoading, currency = 'BAHT', onReceive }: ReferralBonusProps) {
  const { t } = useTranslation('home');
  return (
    <dl className="flex min-h-14 items-center gap-3 rounded-lg narrow:flex-wrap bg-panel px-4 py-2 shadow-low ring-1 ring-line">
      <InviteIcon className="size-6 text-gold max-[22rem]:hidden" />
      <dt className="text-sm text-muted">{t('referral')}</dt>
      <dd className="flex h-7 grow items-center justify-end font-semibold text-gold-lit">
        {isLoading ? (
          <Skeleton className="h-5 w-8" />
        ) : (
          <Amount value={invite?.amount} currency={currency} isAnimated />
        )}
      </dd>
      <dd className="flex">
        <Button
          size="sm"
          variant="gold"
          disabled={!invite?.amount}
          aria-haspopup="dialog"
          onClick={() => invite && onReceive(invite)}
          className="whitespace-nowrap"
        >
          {t('receive')}
        </Button>
      </dd>
    </dl>
  );
}
