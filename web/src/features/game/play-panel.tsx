import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { TFunction } from 'i18next';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isEmptyGame, nextTopUp, type QuickPlay } from '../../member/quick-play.ts';
import type { GameAccount } from '../../member/wallet.ts';
import type { TransferState } from '../../shared/transfer.ts';
import { Button } from '../../ui/core/button.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { PlayIcon } from '../../ui/data/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { LaunchOutcome, OtherLaunchOptions } from './launch-outcome.tsx';
import { MoneyHome, MoveOutcome, useReturn, useTakeHome } from './take-home.tsx';
import { AmountQuestion, TopUpField, type TypedAmount, useTypedAmount } from './top-up-field.tsx';
import { usePlay } from './use-play.ts';

export type PlayPanelProps = {
  game: GameAccount;
  /** Free amount of the wallet, in wire format. */
  freeAmount: number;
  /** Whether the account was opened just now; then its login is shown. */
  isNew: boolean;
  /** Plays immediately, or asks for an amount. */
  quickPlay: QuickPlay | undefined;
  /** Whether the page was loaded by a return from the game. */
  isBackFromGame: boolean;
  /** Opens the account of an inactive game. */
  openAccount: ReactNode;
  /** Called when a transfer starts or ends. */
  onMoving: (isMoving: boolean) => void;
};

/** Actions of a game. Where members log in by hand, the account is opened first. */
export function PlayPanel(props: PlayPanelProps) {
  const { game, openAccount } = props;
  if (game.isActive || game.launch !== 'fixed') return <PlayableGame {...props} />;
  return (
    <>
      <ManualLoginNote />
      {openAccount}
    </>
  );
}

/** Playing opens an account that is not open. */
function PlayableGame({ game, freeAmount, isNew, quickPlay, isBackFromGame, openAccount, onMoving }: PlayPanelProps) {
  const { t } = useTranslation('game');
  const playState = usePlay(game);
  const { transfer, addMoney, launch } = playState;
  const home = useTakeHome(game, playState.endLaunch);
  const isMoving = transfer.status === 'sending' || home.isMoving;
  useEffect(() => onMoving(isMoving), [onMoving, isMoving]);
  const hasReturned = useReturn(launch, game.code) || isBackFromGame;
  useQuickPlay(quickPlay, playState.playIn);
  const isWaiting = !isMoving && isTransferPending(game, [transfer, home.state]);
  const isHome = hasReturned || home.state.status === 'done';
  const typedAmount = useTypedAmount(freeAmount, isWaiting || isMoving ? 0 : suggestedAmount(game, freeAmount, isHome));
  const isAsking = quickPlay === 'choose' && !isWaiting && typedAmount.value === '' && canFill(game, freeAmount);
  return (
    <>
      {isWaiting && <PendingNote />}
      <MoneyHome game={game} home={home} hasReturned={hasReturned} isWaiting={isWaiting} />
      {!game.isActive && <p className="text-sm text-muted">{t('playOpens')}</p>}
      <TopUpField
        game={game}
        typedAmount={typedAmount}
        freeAmount={freeAmount}
        disabled={isWaiting}
        withQuickAmounts={!isAsking}
      />
      {isAsking && (
        <AmountQuestion
          freeAmount={freeAmount}
          busy={busyText(playState, t)}
          onPlay={(topUp) => void playState.play(topUp)}
        />
      )}
      {game.launch === 'fixed' && <ManualLoginNote />}
      {game.isActive ? (
        <GameLogin game={game} isNew={isNew} inNewTab={playState.inNewTab}>
          <TransferOnlyButton playState={playState} typedAmount={typedAmount} isWaiting={isWaiting} />
        </GameLogin>
      ) : (
        <MoreOptions label={t('openOnly')} isOpenAtFirst={false}>
          {openAccount}
        </MoreOptions>
      )}
      <LaunchOutcome launch={launch} game={game} onOpenHere={playState.playHere} />
      <PlayActions
        playState={playState}
        typedAmount={typedAmount}
        isWaiting={isWaiting}
        withTransferOnly={game.isActive && game.launch !== 'link'}
      />
      <MoveOutcome
        state={transfer}
        name={game.name}
        onClose={playState.reset}
        onRetry={({ amount, isAll = false }) =>
          void addMoney({ amount, isAll }).then((result) => result !== 'not' && typedAmount.reset())
        }
      />
      <MoveOutcome state={home.state} name={game.name} onClose={home.reset} onRetry={home.takeHome} />
    </>
  );
}

/** Whether a transfer of the game has no outcome yet, by its reply or by the wallet. */
const isTransferPending = ({ inProgress }: GameAccount, states: readonly TransferState[]): boolean =>
  inProgress !== null || states.some(({ status }) => status === 'processing');

/** Whether the wallet has money for a game that holds nothing to play with. */
const canFill = (game: GameAccount, free: number): boolean => isEmptyGame(game) && free >= TRANSFER_MINIMUM;

/** The last amount for a game that is empty; none for the first time, nor for money that just came home. */
const suggestedAmount = (game: GameAccount, free: number, isHome: boolean): number =>
  isEmptyGame(game) && !isHome ? nextTopUp(game, free) : 0;

/** Text of the main button while money moves or the game opens. */
const busyText = ({ transfer, launch }: ReturnType<typeof usePlay>, t: TFunction<'game'>): string | false =>
  (launch.step === 'opening' && t('launching')) || (transfer.status === 'sending' && t('transferring'));

/** Plays once, as soon as the panel is shown, unless an amount must be chosen. */
function useQuickPlay(quickPlay: QuickPlay | undefined, playIn: ReturnType<typeof usePlay>['playIn']): void {
  const start = useEffectEvent(() => {
    if (!quickPlay || quickPlay === 'choose') return;
    const { tab, amount } = quickPlay;
    void playIn(tab, amount > 0 ? { amount, isAll: false } : undefined);
  });
  useEffect(() => start(), []);
}

function PendingNote() {
  const { t } = useTranslation('game');
  return (
    <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
      <Spinner className="mt-0.5 size-5" />
      {t('inProgress')}
    </p>
  );
}

function ManualLoginNote() {
  const { t } = useTranslation('game');
  return (
    <div className="grid gap-1">
      <h3 className="font-semibold text-gold-lit">{t('byHandTitle')}</h3>
      <p className="text-sm text-muted">{t('byHandText')}</p>
    </div>
  );
}

type GameLoginProps = Pick<PlayPanelProps, 'game' | 'isNew'> & {
  inNewTab: boolean;
  /** Transfer-only of a game that a link opens. */
  children: ReactNode;
};

/** Login data of a game and its links. If a link opens the game, login data and transfer-only are collapsed. */
function GameLogin({ game, isNew, inNewTab, children }: GameLoginProps) {
  const { t } = useTranslation('game');
  return (
    <>
      {game.launch === 'link' ? (
        <MoreOptions label={t('more')} isOpenAtFirst={isNew}>
          <CredentialsPanel code={game.code} isShownAtFirst={isNew} />
          {children}
        </MoreOptions>
      ) : (
        // If members log in manually, the login is shown before they leave the app.
        <CredentialsPanel code={game.code} isShownAtFirst={isNew || game.launch === 'fixed'} />
      )}
      <OtherLaunchOptions game={game} inNewTab={inNewTab} />
    </>
  );
}

type MoreOptionsProps = { label: string; isOpenAtFirst: boolean; children: ReactNode };

/** What is not needed to play: closed at first. */
function MoreOptions({ label, isOpenAtFirst, children }: MoreOptionsProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group rounded-md bg-well/50 ring-1 ring-line"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-md px-4 py-1 text-sm -outline-offset-2 [&::-webkit-details-marker]:hidden">
        <span className="grow text-muted">{label}</span>
        <ChevronDownIcon className="size-5 shrink-0 text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="grid gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  );
}

type TransferOnlyProps = {
  playState: ReturnType<typeof usePlay>;
  typedAmount: TypedAmount;
  /** Whether a transfer is pending; then the member can only play with the current balance. */
  isWaiting: boolean;
};

/** Moves the amount into the game without opening it. */
function TransferOnlyButton({ playState: { transfer, addMoney }, typedAmount, isWaiting }: TransferOnlyProps) {
  const { t } = useTranslation('game');
  const topUp = isWaiting ? undefined : typedAmount.topUp;
  return (
    <Button
      variant="quiet"
      disabled={!topUp}
      busy={transfer.status === 'sending' && t('transferring')}
      onClick={() => void typedAmount.send(async (amount) => (amount ? addMoney(amount) : 'not'))}
    >
      {t(topUp?.isAll ? 'allOnly' : 'transferOnly')}
    </Button>
  );
}

type PlayActionsProps = TransferOnlyProps & {
  withTransferOnly: boolean;
};

function PlayActions({ withTransferOnly, ...props }: PlayActionsProps) {
  const { playState, typedAmount, isWaiting } = props;
  const { play } = playState;
  const { t } = useTranslation('game');
  const topUp = isWaiting ? undefined : typedAmount.topUp;
  return (
    <ModalActions>
      <Button
        variant="primary"
        icon={<PlayIcon className="size-5" />}
        busy={busyText(playState, t)}
        onClick={() => void (isWaiting ? play() : typedAmount.send(play))}
      >
        {t(topUp ? (topUp.isAll ? 'allAndPlay' : 'transferAndPlay') : 'play')}
      </Button>
      {withTransferOnly && <TransferOnlyButton {...props} />}
    </ModalActions>
  );
}
