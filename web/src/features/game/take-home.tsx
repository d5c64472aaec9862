import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasLaunch } from '../../member/launches.ts';
import { settingsQuery } from '../../member/settings.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { type GameAccount, WALLET } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import {
  movedAmount,
  type TransferInput,
  transferRefusalText,
  type TransferState,
  usePendingTransfer,
  useTransfer,
} from '../../shared/transfer.ts';
import { UndecidedPopup } from '../../shared/undecided-popup.tsx';
import { Button } from '../../ui/core/button.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { Popup } from '../../ui/popup.tsx';
import type { Launch } from './use-play.ts';

/**
 * Moves all money of a game to the wallet by one press: as much as the game holds then, whatever is displayed.
 * @param onHome called once the money is in the wallet
 */
export function useTakeHome({ code, amount }: Pick<GameAccount, 'code' | 'amount'>, onHome?: () => void) {
  const { t } = useTranslation('game');
  const { format } = useCurrency();
  const { state, send, reset } = useTransfer();
  const [shownAmount, setShownAmount] = useState(amount);
  const isMoving = state.status === 'sending';
  const takeHome = async (): Promise<void> => {
    setShownAmount(amount);
    const result = await send({ from: code, to: WALLET, amount, isAll: true });
    if (result.status !== 'done') return;
    toast.success(t('broughtHome', { amount: memberMoneyText(format(movedAmount(result))) }));
    onHome?.();
  };
  // While sending, the balance already excludes the moved amount.
  return { state, reset, isMoving, takeHome: () => void takeHome(), amount: isMoving ? shownAmount : amount };
}

export type TakeHome = ReturnType<typeof useTakeHome>;

/** Button with the amount that moves a game's money to the wallet; renders nothing if the game is empty. */
export function TakeHomeButton({ home, variant = 'quiet' }: { home: TakeHome; variant?: 'quiet' | 'primary' }) {
  const { t } = useTranslation('game');
  const { format } = useCurrency();
  if (home.amount <= 0) return null;
  return (
    <Button variant={variant} busy={home.isMoving && t('transferring')} onClick={home.takeHome}>
      {t('takeHome', { amount: format(home.amount) })}
    </Button>
  );
}

type MoneyHomeProps = {
  game: GameAccount;
  home: TakeHome;
  /** Whether the member is back from the game. */
  hasReturned: boolean;
  /** Whether a transfer is pending. */
  isWaiting: boolean;
};

/** Moves the money home: by an offer after a return, else by a button. */
export function MoneyHome({ game, home, hasReturned, isWaiting }: MoneyHomeProps) {
  return hasReturned && !isWaiting ? <AfterPlay game={game} home={home} /> : <TakeHomeButton home={home} />;
}

/** Offers the money once, unless it goes home without a press. */
function AfterPlay({ game, home }: Pick<MoneyHomeProps, 'game' | 'home'>) {
  const { data, isPending } = useQuery(settingsQuery);
  const [isDismissed, setDismissed] = useState(false);
  const isDoneForMember = hasLaunch(game.code) && (isPending || data?.bringsMoneyHome === true);
  const isOffered = game.canMoveOut && game.amount > 0 && !isDismissed && !isDoneForMember;
  return isOffered ? (
    <ReturnOffer game={game} home={home} onDismiss={() => setDismissed(true)} />
  ) : (
    <TakeHomeButton home={home} />
  );
}

type ReturnOfferProps = { game: GameAccount; home: TakeHome; onDismiss: () => void };

/** Offers once, after a game, to move all of its money to the wallet by one press. */
export function ReturnOffer({ game: { name }, home, onDismiss }: ReturnOfferProps) {
  const { t } = useTranslation('game');
  const { format } = useCurrency();
  return (
    <section aria-label={t('returnTitle', { name })} className="grid gap-2 rounded-md bg-jade-deep px-4 py-3">
      <p className="font-semibold text-jade">{t('returnText', { name, amount: format(home.amount) })}</p>
      <div className="flex flex-wrap gap-2 *:flex-auto">
        <Button variant="primary" busy={home.isMoving && t('transferring')} onClick={home.takeHome}>
          {t('bringHome')}
        </Button>
        <Button variant="quiet" className="px-2!" onClick={onDismiss}>
          {t('keepInGame')}
        </Button>
      </div>
    </section>
  );
}

/**
 * Whether the member has come back to the app after the last launch opened the game in its own tab. False if another
 * tab has handled the return.
 */
export function useReturn(launch: Launch, code: string): boolean {
  const [returnedFrom, setReturnedFrom] = useState<Launch>();
  useEffect(() => {
    if (launch.step !== 'opened') return;
    const onReturn = (): void => {
      if (document.visibilityState === 'visible' && hasLaunch(code)) setReturnedFrom(launch);
    };
    document.addEventListener('visibilitychange', onReturn);
    addEventListener('focus', onReturn);
    return () => {
      document.removeEventListener('visibilitychange', onReturn);
      removeEventListener('focus', onReturn);
    };
  }, [launch, code]);
  return returnedFrom === launch;
}

const NO_INPUT = { from: '', to: '' };

export type MoveOutcomeProps = {
  state: TransferState;
  /** Name of the game that the money left, or should have reached. */
  name: string;
  onClose: () => void;
  /** Sends the same command again; the money is moved at most once. */
  onRetry: (input: TransferInput) => void;
};

/** Explains that money did not move between wallet and game, or that the outcome is unknown. */
export function MoveOutcome({ state, name, onClose, onRetry }: MoveOutcomeProps) {
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
            <p>{transferRefusalText(state.failure, state.input, name)}</p>
            <AskSupport kind="transfer" failure={state.failure} />
          </>
        }
        onClose={onClose}
      />
    );
  if (state.status === 'undecided')
    return (
      <UndecidedPopup
        kind="transfer"
        failure={state.failure}
        reference={pendingReference}
        onClose={onClose}
        onRetry={() => onRetry(state.input)}
      />
    );
  return null;
}
