import { toWire } from '@krapao/contract/money';
import { useQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/query/query.ts';
import { formatAmount } from '../../format/number.ts';
import { useCreditText } from '../../member/credit-text.ts';
import { openingTime } from '../../member/opening-time.ts';
import type { QuickPlay } from '../../member/quick-play.ts';
import { useCurrency } from '../../member/use-currency.ts';
import {
  useWallet,
  balancesRefresh,
  refreshBalances,
  useFreshBalances,
  creditAmount,
  type GameAccount,
} from '../../member/wallet.ts';
import { useSheetAddress } from '../../shared/ask-support.tsx';
import { FavouriteButton } from '../../shared/favourite-button.tsx';
import { Amount } from '../../ui/amount.tsx';
import { GameArt, GameLogo } from '../../ui/carousel/game-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { CredentialsPanel, rememberCredentials, refetchCredentials } from './credentials-panel.tsx';
import { PlayPanel } from './play-panel.tsx';
import { MoveOutcome, TakeHomeButton, useTakeHome } from './take-home.tsx';

export type GameDialogProps = {
  code: string;
  onClose: () => void;
  quickPlay?: QuickPlay | undefined;
  /** Whether the page was loaded by a return from the game. */
  isBackFromGame?: boolean;
};

/** Dialog of one game account: open it, reveal its login, add money, play. */
export function GameDialog({ code, onClose, quickPlay, isBackFromGame = false }: GameDialogProps) {
  const { t } = useTranslation('game');
  useSheetAddress(`/user/home#game=${code}`);
  const { data, isLoading } = useWallet();
  const [isNew, setNew] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const topRef = useTopOnReturn();
  const game = data?.slots.find((slot) => slot.code === code);
  useFreshBalances(game?.isActive === true);
  return (
    // Not closable while a transfer is being sent: the member would miss the result and could not retry the same
    // command.
    <Modal open onClose={isMoving ? undefined : onClose} title={game?.name ?? code}>
      {game && data ? (
        <div ref={topRef} className="low-columns grid scroll-mt-4 gap-4 low:grid-cols-2 low:items-start low:gap-x-5">
          <GameBanner game={game} />
          <div className="grid gap-4">
            <CreditRate game={game} />
            {game.isActive && <OpenBetsRow game={game} />}
            {game.inMaintenance ? (
              <ClosedGame game={game} />
            ) : game.isHidden ? (
              <HiddenGame game={game} onMoving={setMoving} />
            ) : (
              <PlayPanel
                game={game}
                freeAmount={data.wallet.amount}
                isNew={isNew}
                quickPlay={quickPlay}
                isBackFromGame={isBackFromGame}
                openAccount={<OpenAccount game={game} onOpened={() => setNew(true)} />}
                onMoving={setMoving}
              />
            )}
          </div>
        </div>
      ) : isLoading ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <EmptyState title={t('missing')} />
      )}
    </Modal>
  );
}

/** Ref of the element to scroll to when the member returns from the tab of a game. */
function useTopOnReturn() {
  const topRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onReturn = (): void => {
      if (document.visibilityState === 'visible') topRef.current?.scrollIntoView({ block: 'start' });
    };
    document.addEventListener('visibilitychange', onReturn);
    addEventListener('pageshow', onReturn);
    return () => {
      document.removeEventListener('visibilitychange', onReturn);
      removeEventListener('pageshow', onReturn);
    };
  }, []);
  return topRef;
}

/** Minimum length used to select the font size, so that shorter balances have the same size. */
const BALANCE_CHARACTERS_MIN = 6;

/** The game's image with the balance of the account. */
export function GameBanner({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const { currency } = useCurrency();
  const credits = creditAmount(game);
  const characterCount = Math.max(
    formatAmount(game.amount, { currency, withSign: true }).length,
    BALANCE_CHARACTERS_MIN,
  );
  return (
    <div className="night relative isolate @container flex min-h-36 min-[24rem]:min-h-44 sm:min-h-55 narrow:min-h-32 low:sticky low:top-0 low:min-h-52 flex-col justify-end overflow-hidden rounded-lg p-4 ring-1 ring-gold/40 ring-inset">
      {/* Aligned to the top, because the bottom of the image is designed for the text of a card. */}
      <GameArt
        category={game.category}
        src={game.background}
        className="absolute inset-x-0 top-0 -z-10 aspect-[300/211] w-full"
      />
      <span className="absolute inset-0 -z-10 bg-linear-to-r from-well via-well/75 via-55% to-transparent to-85%" />
      <GameLogo src={game.logo} className="-mt-1 mb-auto size-12 max-[24rem]:size-9 narrow:hidden" />
      {game.isActive && (
        <>
          <p className="text-sm text-ivory">{t('balance')}</p>
          <p
            aria-live="polite"
            className="fit-amount font-bold text-gold-lit [--text-balance:var(--text-2xl)]"
            style={{ '--characters': characterCount } as CSSProperties}
          >
            <Amount value={game.amount} currency={currency} withSign isAnimated />
          </p>
          <p className="amount text-sm text-ivory narrow:whitespace-normal">
            {t('credit', { credit: credits === undefined ? '-' : formatAmount(toWire(credits), { currency }) })}
          </p>
        </>
      )}
      {game.isActive && <RefreshButton />}
      <FavouriteButton
        game={game}
        label={t('favourite', { name: game.name })}
        className="absolute top-2 left-18 bg-well/75"
      />
      {game.isActive && game.isStale && (
        <p className="mt-1 w-fit rounded-sm bg-amber-deep px-2 py-0.5 text-xs text-amber">{t('stale')}</p>
      )}
    </div>
  );
}

/** Button that checks the game balances. A game may run in another window, and no event reports that it was closed. */
function RefreshButton() {
  const { t } = useTranslation('game');
  const { isFetching } = useQuery({ ...balancesRefresh, enabled: false });
  return (
    <IconButton
      label={t(isFetching ? 'refreshing' : 'refresh')}
      aria-busy={isFetching}
      onClick={() => void refreshBalances()}
      className="absolute top-2 right-2 bg-well/75 text-gold-lit!"
    >
      <RefreshIcon className={`size-5 ${isFetching ? 'animate-turn' : ''}`} />
    </IconButton>
  );
}

/** Stakes of open bets and turnover so far, if the game reports them. */
export function OpenBetsRow({ game: { outstanding, turnover } }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const { currency } = useCurrency();
  if (outstanding <= 0 && turnover === null) return null;
  return (
    <div className="rounded-md bg-well px-4 py-2.5 ring-1 ring-line">
      <dl className="grid gap-1 text-sm">
        {turnover !== null && (
          <div className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-muted">{t('turnover')}</dt>
            <dd className="font-semibold">
              <Amount value={turnover} currency={currency} withSign isAnimated />
            </dd>
          </div>
        )}
        {outstanding > 0 && (
          <div className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-amber">{t('outstanding')}</dt>
            <dd className="font-semibold text-amber">
              <Amount value={outstanding} currency={currency} withSign isAnimated />
            </dd>
          </div>
        )}
      </dl>
      {outstanding > 0 && <p className="mt-1 text-sm text-muted">{t('outstandingText')}</p>}
    </div>
  );
}

/** Exchange rate of a game that has its own credits. */
export function CreditRate({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const rateText = useCreditText()(game);
  return rateText && <p className="text-sm text-muted">{t('rate', { rate: rateText })}</p>;
}

type HiddenGameProps = { game: GameAccount; onMoving: (isMoving: boolean) => void };

/** Shown for a game that is no longer offered: its money can only be transferred to the wallet. */
export function HiddenGame({ game, onMoving }: HiddenGameProps) {
  const { t } = useTranslation('game');
  const home = useTakeHome(game);
  useEffect(() => onMoving(home.isMoving), [onMoving, home.isMoving]);
  return (
    <>
      <div className="grid gap-1 rounded-md bg-amber-deep px-4 py-3">
        <h3 className="font-semibold text-amber">{t('hiddenTitle', { name: game.name })}</h3>
        <p className="text-sm text-ivory">{t(game.amount > 0 ? 'hiddenMoney' : 'hiddenText')}</p>
      </div>
      {home.amount > 0 && (
        <ModalActions>
          <TakeHomeButton home={home} variant="primary" />
        </ModalActions>
      )}
      <MoveOutcome state={home.state} name={game.name} onClose={home.reset} onRetry={home.takeHome} />
    </>
  );
}

/** Shown for a game in maintenance: explains what happens to its money. */
export function ClosedGame({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const time = openingTime(game);
  return (
    <>
      <div className="grid gap-1 rounded-md bg-amber-deep px-4 py-3">
        <h3 className="font-semibold text-amber">{t('closedTitle', { name: game.name })}</h3>
        {time && <p className="font-medium text-ivory">{t('closedUntil', { time })}</p>}
        <p className="text-sm text-ivory">{t(game.amount > 0 ? 'closedMoney' : 'closedText')}</p>
      </div>
      {game.isActive && !game.isHidden && <CredentialsPanel code={game.code} isShownAtFirst={false} />}
    </>
  );
}

/** Opens a game account. A failure shows no error: the explanation is always visible. */
export function OpenAccount({ game, onOpened }: { game: GameAccount; onOpened: () => void }) {
  // Where opening the account is not part of playing, it is the main action.
  const variant = game.launch === 'fixed' ? 'gold' : 'quiet';
  const { t } = useTranslation('game');
  const openAccount = useMutation({
    mutationFn: () => call('GET /api/wallet/activate/{slotCode}', { params: { slotCode: game.code } }),
    onSuccess: (credentials) => {
      rememberCredentials(game.code, credentials);
      void refetchCredentials(game.code).catch(() => undefined);
      onOpened();
    },
    onSettled: () => invalidate('wallet'),
  });
  return (
    <div className="grid gap-2">
      <h3 className="text-lg font-semibold">{t('openTitle', { name: game.name })}</h3>
      <p className="text-sm text-muted">{t('openText')}</p>
      <p className="text-sm text-faint">{t('openAgain')}</p>
      <Button variant={variant} wide busy={openAccount.isPending && t('opening')} onClick={() => openAccount.mutate()}>
        {t('open')}
      </Button>
    </div>
  );
}
