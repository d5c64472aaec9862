import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../member/wallet.ts';
import { useCreditText } from '../../member/credit-text.ts';
import { useMoney } from '../../member/money.ts';
import { Button } from '../../ui/core/button.tsx';
import { PlayIcon } from '../../ui/data/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { LaunchOutcome, OtherLaunchOptions } from './launch-outcome.tsx';
import { usePlay, type TopUp, type TopUpResult } from './use-play.ts';
import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { formatTyped, isRefusedAmount, readAmount } from '../../format/typed-amount.ts';
import { AmountInput } from '../../ui/amount-input.tsx';
import { refusalText, undecidedText } from '../../shared/refusal-text.ts';
import type { TransferInput, TransferState } from '../../shared/transfer.ts';
import { Paragraphs } from '../../ui/paragraphs.tsx';
import { Popup } from '../../ui/popup.tsx';

export type PlayPanelProps = {
  game: GameAccount;
  /** Free amount of the wallet, in wire format. */
  free: number;
  /** The account was opened just now: its login is shown. */
  isNew: boolean;
  /** Whether a transfer is in flight. */
  onMoving: (isMoving: boolean) => void;
  /** Called with the amount to move to the wallet. */
  onTakeHome: (amount: number) => void;
};

/** Actions of an open account. */
export function PlayPanel({ game, free, isNew, onMoving, onTakeHome }: PlayPanelProps) {
  const { t } = useTranslation('game');
  const money = useMoney();
  const playing = usePlay(game);
  const { transfer, putIn, launch } = playing;
  const isMoving = transfer.status === 'sending';
  useEffect(() => onMoving(isMoving), [onMoving, isMoving]);
  const typed = useAmountTyped(free);
  const isWaiting = transfer.status === 'processing' || (game.inProgress !== null && !isMoving);
  return (
    <>
      {isWaiting && (
        <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
          <Spinner className="mt-0.5 size-5" />
          {t('inProgress')}
        </p>
      )}
      {game.amount > 0 && (
        <Button variant="quiet" onClick={() => onTakeHome(game.amount)}>
          {t('takeHome', { amount: money.text(game.amount) })}
        </Button>
      )}
      <TopUpField game={game} typed={typed} free={free} disabled={isWaiting} />
      {game.launch === 'fixed' && <ByHand />}
      {/* Where members log in by hand, the login is shown before leaving. */}
      <CredentialsPanel code={game.code} isShownAtFirst={isNew || game.launch === 'fixed'} />
      <OtherLaunchOptions game={game} inNewTab={playing.inNewTab} />
      <LaunchOutcome launch={launch} name={game.name} onHere={playing.playHere} />
      <Actions playing={playing} typed={typed} isWaiting={isWaiting} />
      <TopUpOutcome
        state={transfer}
        onClose={playing.reset}
        onRetry={({ amount, isAll = false }) =>
          void putIn({ amount, isAll }).then((end) => end !== 'not' && typed.change(''))
        }
      />
    </>
  );
}

function ByHand() {
  const { t } = useTranslation('game');
  return (
    <div className="grid gap-1">
      <h3 className="font-semibold text-gold-lit">{t('byHandTitle')}</h3>
      <p className="text-sm text-muted">{t('byHandText')}</p>
    </div>
  );
}

type ActionsProps = {
  playing: ReturnType<typeof usePlay>;
  typed: ReturnType<typeof useAmountTyped>;
  /** A transfer is pending: only playing with the present balance is possible. */
  isWaiting: boolean;
};

function Actions({ playing: { transfer, launch, play, putIn }, typed, isWaiting }: ActionsProps) {
  const { t } = useTranslation('game');
  const isMoving = transfer.status === 'sending';
  const money = isWaiting ? undefined : typed.money;
  return (
    <ModalActions>
      <Button
        icon={<PlayIcon className="size-5" />}
        busy={(launch.step === 'opening' && t('launching')) || (isMoving && t('transferring'))}
        onClick={() => void (isWaiting ? play() : typed.send(play))}
      >
        {t(money ? (money.isAll ? 'allAndPlay' : 'transferAndPlay') : 'play')}
      </Button>
      <Button
        variant="quiet"
        disabled={!money}
        busy={isMoving && t('transferring')}
        onClick={() => void typed.send(async (all) => (all ? putIn(all) : 'not'))}
      >
        {t(money?.isAll ? 'allOnly' : 'transferOnly')}
      </Button>
    </ModalActions>
  );
}

/**
 * Amount for a game. After "all" it is the whole wallet at the time of sending, until another amount is typed.
 * @param free free amount of the wallet, in wire format
 */
export function useAmountTyped(free: number) {
  const [typed, setTyped] = useState('');
  const [isAll, setAll] = useState(false);
  const { field } = useMoney();
  const amount = isAll ? free : readAmount(typed, field);
  const isTooSmall = !isAll && typed !== '' && amount < TRANSFER_MINIMUM;
  const isRefused = !isAll && isRefusedAmount(typed, field);
  const change = (text: string, all = false): void => {
    setTyped(text);
    setAll(all);
  };
  return {
    value: isAll ? formatTyped(free) : typed,
    isTooSmall,
    isTooMuch: amount > free,
    /** Undefined without an amount. */
    money: amount > 0 ? ({ amount, isAll } satisfies TopUp) : undefined,
    change,
    /** Runs an action with a valid amount; clears the amount once it was moved or is pending. */
    async send(action: (money: TopUp | undefined) => Promise<TopUpResult>): Promise<void> {
      const isFault = isRefused || (amount > 0 && amount < TRANSFER_MINIMUM);
      if (!isFault && (await action(amount > 0 ? { amount, isAll } : undefined)) !== 'not') change('');
    },
  };
}

/** Quick amounts of a game without money, in wire format. */
const QUICK_AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [50, 100, 500],
  LAK: [10_000, 50_000, 100_000],
};

export type TopUpFieldProps = {
  game: GameAccount;
  typed: ReturnType<typeof useAmountTyped>;
  free: number;
  disabled: boolean;
};

/** Amount to move into the game, with a button for the whole wallet. */
export function TopUpField({ game, typed, free, disabled }: TopUpFieldProps) {
  const { t } = useTranslation(['game', 'transfer']);
  const money = useMoney();
  // The rate is displayed above; this shows the amount in credits.
  const credits = useCreditText()(game, typed.money?.amount);
  const tooSmall = typed.isTooSmall && t('transfer:minimumAmount', { minimum: money.text(TRANSFER_MINIMUM) });
  const tooMuch = typed.isTooMuch && !disabled && t('notEnough', { amount: money.text(free) });
  const quickAmounts = QUICK_AMOUNTS[money.currency].filter((amount) => amount <= free);
  const isOffered = game.amount <= 0 && !disabled && quickAmounts.length > 0;
  return (
    <AmountInput
      label={t('amount')}
      value={typed.value}
      onChange={(text) => typed.change(text)}
      {...money.field}
      disabled={disabled}
      hint={[t('inWallet', { amount: money.text(free) }), typed.money && credits].filter(Boolean).join('\n')}
      {...(isOffered && { quickAmounts })}
      error={tooSmall || tooMuch || undefined}
      all={{ label: t('all'), amount: free, onPress: () => typed.change('', true) }}
    />
  );
}

export type TopUpOutcomeProps = {
  state: TransferState;
  onClose: () => void;
  /** Sends the same command again; it moves the money at most once. */
  onRetry: (input: TransferInput) => void;
};

/** Reports that the money did not reach the game, or that this is unknown. */
export function TopUpOutcome({ state, onClose, onRetry }: TopUpOutcomeProps) {
  const { t } = useTranslation('transfer');
  if (state.status === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('failureTitle')}
        message={refusalText(state.failure, 'transfer')}
        onClose={onClose}
      />
    );
  if (state.status === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={<Paragraphs of={undecidedText(state.failure, 'transfer')} />}
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: () => onRetry(state.input) }}
      />
    );
  return null;
}
