import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';
import { hasLaunch } from '../../member/launches.ts';
import { settingsQuery } from '../../member/settings.ts';
import { type GameAccount, WALLET } from '../../member/wallet.ts';
import { useCreditText } from '../../member/credit-text.ts';
import { useMoney } from '../../member/money.ts';
import { Button } from '../../ui/core/button.tsx';
import { PlayIcon } from '../../ui/data/member-icons.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { LaunchOutcome, OtherLaunchOptions } from './launch-outcome.tsx';
import { type Launch, usePlay, type TopUp, type TopUpResult } from './use-play.ts';
import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { formatTyped, isRefusedAmount, readAmount } from '../../format/typed-amount.ts';
import { AmountInput } from '../../ui/amount-input.tsx';
import type { QuickPlay } from '../../member/quick-play.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { refusalText, undecidedText } from '../../shared/refusal-text.ts';
import {
  movedAmount,
  type TransferInput,
  type TransferState,
  usePendingTransfer,
  useTransfer,
} from '../../shared/transfer.ts';
import { toast } from '../../ui/core/toast.tsx';
import { Popup, Paragraphs } from '../../ui/popup.tsx';

export type PlayPanelProps = {
  game: GameAccount;
  /** Free amount of the wallet, in wire format. */
  freeAmount: number;
  /** Whether the account was opened just now; then its login is shown. */
  isNew: boolean;
  /** Plays immediately. */
  quickPlay: QuickPlay | undefined;
  /** Whether the member is back from the game in the app's own tab. */
  isBackInSameTab: boolean;
  /** Opens the account of an inactive game. */
  openAccount: ReactNode;
  /** Called when a transfer starts or ends. */
  onMoving: (isMoving: boolean) => void;
  /** Called with the amount to transfer to the wallet. */
  onTransferToWallet: (amount: number) => void;
};

/** Actions of a game. Playing opens an account that is not open. */
export function PlayPanel({ game, freeAmount, isNew, quickPlay, isBackInSameTab, ...props }: PlayPanelProps) {
  const { openAccount, onMoving, onTransferToWallet } = props;
  const { t } = useTranslation('game');
  const money = useMoney();
  const playState = usePlay(game);
  const { transfer, addMoney, launch } = playState;
  const isMoving = transfer.status === 'sending';
  useEffect(() => onMoving(isMoving), [onMoving, isMoving]);
  const typedAmount = useTypedAmount(freeAmount);
  const hasReturned = useReturn(launch) || isBackInSameTab;
  useQuickPlay(quickPlay, playState.playIn);
  const isWaiting = transfer.status === 'processing' || (game.inProgress !== null && !isMoving);
  return (
    <>
      {isWaiting && (
        <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
          <Spinner className="mt-0.5 size-5" />
          {t('inProgress')}
        </p>
      )}
      {hasReturned && !isWaiting && <AfterPlay game={game} />}
      {game.amount > 0 && (
        <Button variant="quiet" onClick={() => onTransferToWallet(game.amount)}>
          {t('takeHome', { amount: money.format(game.amount) })}
        </Button>
      )}
      {!game.isActive && openAccount}
      <TopUpField game={game} typedAmount={typedAmount} freeAmount={freeAmount} disabled={isWaiting} />
      {game.launch === 'fixed' && <ManualLoginNote />}
      {game.isActive && (
        <>
          <GameLogin game={game} isNew={isNew}>
            <TransferOnlyButton playState={playState} typedAmount={typedAmount} isWaiting={isWaiting} />
          </GameLogin>
          <OtherLaunchOptions game={game} inNewTab={playState.inNewTab} />
        </>
      )}
      <LaunchOutcome launch={launch} game={game} onOpenHere={playState.playHere} />
      <PlayActions
        playState={playState}
        typedAmount={typedAmount}
        isWaiting={isWaiting}
        withTransferOnly={game.isActive && game.launch !== 'link'}
      />
      <TopUpOutcome
        state={transfer}
        onClose={playState.reset}
        onRetry={({ amount, isAll = false }) =>
          void addMoney({ amount, isAll }).then((result) => result !== 'not' && typedAmount.changeAmount(''))
        }
      />
    </>
  );
}

/** Offers to move the money home after a return, unless that is done without a press. */
function AfterPlay({ game }: { game: GameAccount }) {
  const { data, isPending } = useQuery(settingsQuery);
  const [isAnswered, setAnswered] = useState(false);
  const isDoneForMember = hasLaunch(game.code) && (isPending || data?.bringsMoneyHome === true);
  const isOffered = game.canMoveOut && game.amount > 0 && !isAnswered && !isDoneForMember;
  return isOffered ? <ReturnOffer game={game} onAnswer={() => setAnswered(true)} /> : null;
}

/** Plays once, as soon as the panel is shown. */
function useQuickPlay(quickPlay: QuickPlay | undefined, playIn: ReturnType<typeof usePlay>['playIn']): void {
  const start = useEffectEvent(() => {
    if (!quickPlay) return;
    const { tab, amount } = quickPlay;
    void playIn(tab, amount > 0 ? { amount, isAll: false } : undefined);
  });
  useEffect(() => start(), []);
}

/** Whether the member has come back to the app after the last launch opened the game in its own tab. */
function useReturn(launch: Launch): boolean {
  const [returnedFrom, setReturnedFrom] = useState<Launch>();
  useEffect(() => {
    if (launch.step !== 'opened') return;
    const onReturn = (): void => {
      if (document.visibilityState === 'visible') setReturnedFrom(launch);
    };
    document.addEventListener('visibilitychange', onReturn);
    addEventListener('focus', onReturn);
    return () => {
      document.removeEventListener('visibilitychange', onReturn);
      removeEventListener('focus', onReturn);
    };
  }, [launch]);
  return returnedFrom === launch;
}

type ReturnOfferProps = { game: GameAccount; onAnswer: () => void };

/** Offers once, after a game, to move all of its money to the wallet by one press. */
function ReturnOffer({ game: { code, name, amount }, onAnswer }: ReturnOfferProps) {
  const { t } = useTranslation('game');
  const { format } = useMoney();
  const { state, send, reset, retry } = useTransfer();
  const bringHome = async (): Promise<void> => {
    const result = await send({ from: code, to: WALLET, amount });
    if (result.status === 'done') toast.success(t('broughtHome', { amount: format(movedAmount(result)) }));
    if (result.status === 'done' || result.status === 'processing') onAnswer();
  };
  return (
    <section aria-label={t('returnTitle', { name })} className="grid gap-2 rounded-md bg-jade-deep px-4 py-3">
      <p className="font-semibold text-jade">{t('returnText', { name, amount: format(amount) })}</p>
      <div className="grid grid-cols-[2fr_1fr] gap-2">
        <Button variant="gold" busy={state.status === 'sending' && t('transferring')} onClick={() => void bringHome()}>
          {t('bringHome')}
        </Button>
        <Button variant="quiet" onClick={onAnswer}>
          {t('keepInGame')}
        </Button>
      </div>
      <TopUpOutcome state={state} onClose={reset} onRetry={retry} />
    </section>
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
  /** Transfer-only of a game that a link opens. */
  children: ReactNode;
};

/** Login data of a game: collapsed with transfer-only if a link opens the game. */
function GameLogin({ game, isNew, children }: GameLoginProps) {
  if (game.launch === 'link')
    return (
      <MoreOptions isOpenAtFirst={isNew}>
        <CredentialsPanel code={game.code} isShownAtFirst={isNew} />
        {children}
      </MoreOptions>
    );
  // If members log in manually, the login is shown before they leave the app.
  return <CredentialsPanel code={game.code} isShownAtFirst={isNew || game.launch === 'fixed'} />;
}

/** What members need only if they log in by hand: closed for a game that a link opens. */
function MoreOptions({ isOpenAtFirst, children }: { isOpenAtFirst: boolean; children: ReactNode }) {
  const { t } = useTranslation('game');
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group rounded-md bg-well/50 ring-1 ring-line"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-md px-4 py-1 text-sm -outline-offset-2 [&::-webkit-details-marker]:hidden">
        <span className="grow text-muted">{t('more')}</span>
        <ChevronDownIcon className="size-5 shrink-0 text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="grid gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  );
}

type TransferOnlyProps = {
  playState: ReturnType<typeof usePlay>;
  typedAmount: ReturnType<typeof useTypedAmount>;
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

type PlayActionsProps = TransferOnlyProps & { withTransferOnly: boolean };

function PlayActions({ withTransferOnly, ...props }: PlayActionsProps) {
  const { playState, typedAmount, isWaiting } = props;
  const { transfer, launch, play } = playState;
  const { t } = useTranslation('game');
  const isMoving = transfer.status === 'sending';
  const topUp = isWaiting ? undefined : typedAmount.topUp;
  return (
    <ModalActions>
      <Button
        icon={<PlayIcon className="size-5" />}
        busy={(launch.step === 'opening' && t('launching')) || (isMoving && t('transferring'))}
        onClick={() => void (isWaiting ? play() : typedAmount.send(play))}
      >
        {t(topUp ? (topUp.isAll ? 'allAndPlay' : 'transferAndPlay') : 'play')}
      </Button>
      {withTransferOnly && <TransferOnlyButton {...props} />}
    </ModalActions>
  );
}

/**
 * State of the amount field of a game. After "all" the amount is the whole wallet at the time of sending, until another
 * amount is typed.
 * @param freeAmount free amount of the wallet, in wire format
 */
export function useTypedAmount(freeAmount: number) {
  const [typedText, setTypedText] = useState('');
  const [isAll, setAll] = useState(false);
  const { amountField } = useMoney();
  const amount = isAll ? freeAmount : readAmount(typedText, amountField);
  const isTooSmall = !isAll && typedText !== '' && amount < TRANSFER_MINIMUM;
  const isRefused = !isAll && isRefusedAmount(typedText, amountField);
  const changeAmount = (text: string, isWholeWallet = false): void => {
    setTypedText(text);
    setAll(isWholeWallet);
  };
  return {
    value: isAll ? formatTyped(freeAmount) : typedText,
    isTooSmall,
    isTooMuch: amount > freeAmount,
    /** Amount to transfer; undefined if it is 0. */
    topUp: amount > 0 ? ({ amount, isAll } satisfies TopUp) : undefined,
    changeAmount,
    /** Calls an action if the amount is valid or empty. Clears the field once the money was moved or is pending. */
    async send(action: (topUp: TopUp | undefined) => Promise<TopUpResult>): Promise<void> {
      const isInvalid = isRefused || (amount > 0 && amount < TRANSFER_MINIMUM);
      if (!isInvalid && (await action(amount > 0 ? { amount, isAll } : undefined)) !== 'not') changeAmount('');
    },
  };
}

/** Quick amounts in wire format, offered if the game has no money. */
const QUICK_AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [50, 100, 500],
  LAK: [10_000, 50_000, 100_000],
};

export type TopUpFieldProps = {
  game: GameAccount;
  typedAmount: ReturnType<typeof useTypedAmount>;
  freeAmount: number;
  disabled: boolean;
};

/** Field for the amount to transfer into the game, with a button for the whole wallet. */
export function TopUpField({ game, typedAmount, freeAmount, disabled }: TopUpFieldProps) {
  const { t } = useTranslation(['game', 'transfer']);
  const money = useMoney();
  // Amount in credits; the exchange rate is displayed above.
  const credits = useCreditText()(game, typedAmount.topUp?.amount);
  const tooSmallText =
    typedAmount.isTooSmall && t('transfer:minimumAmount', { minimum: money.format(TRANSFER_MINIMUM) });
  const tooMuchText = typedAmount.isTooMuch && !disabled && t('notEnough', { amount: money.format(freeAmount) });
  const quickAmounts = QUICK_AMOUNTS[money.currency].filter((amount) => amount <= freeAmount);
  const areQuickAmountsShown = game.amount <= 0 && !disabled && quickAmounts.length > 0;
  return (
    <AmountInput
      label={t('amount')}
      value={typedAmount.value}
      onChange={(text) => typedAmount.changeAmount(text)}
      {...money.amountField}
      disabled={disabled}
      hint={[t('inWallet', { amount: money.format(freeAmount) }), typedAmount.topUp && credits]
        .filter(Boolean)
        .join('\n')}
      {...(areQuickAmountsShown && { quickAmounts })}
      error={tooSmallText || tooMuchText || undefined}
      allButton={{ label: t('all'), amount: freeAmount, onPress: () => typedAmount.changeAmount('', true) }}
    />
  );
}

const NO_INPUT = { from: '', to: '' };

export type TopUpOutcomeProps = {
  state: TransferState;
  onClose: () => void;
  /** Sends the same command again; the money is moved at most once. */
  onRetry: (input: TransferInput) => void;
};

/** Explains that the money did not reach the game, or that the outcome is unknown. */
export function TopUpOutcome({ state, onClose, onRetry }: TopUpOutcomeProps) {
  const { t } = useTranslation('transfer');
  const pendingReference = usePendingTransfer('input' in state ? state.input : NO_INPUT);
  if (state.status === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('failureTitle')}
        message={
          <>
            <p>{refusalText(state.failure, 'transfer')}</p>
            <AskSupport kind="transfer" failure={state.failure} />
          </>
        }
        onClose={onClose}
      />
    );
  if (state.status === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={
          <>
            <Paragraphs texts={undecidedText(state.failure, 'transfer')} />
            <AskSupport kind="transfer" reference={pendingReference} failure={state.failure} />
          </>
        }
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: () => onRetry(state.input) }}
      />
    );
  return null;
}
