import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { Button } from '../../ui/button.tsx';
import { PlayIcon } from '../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { Spinner } from '../../ui/state/spinner.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { LaunchOutcome } from './launch/launch-outcome.tsx';
import { OtherWays } from './launch/other-ways.tsx';
import { PutInField, useAmountTyped } from './put-in-field.tsx';
import { PutInOutcome } from './put-in-outcome.tsx';
import { usePlay } from './use-play.ts';

export type PlayPanelProps = {
  game: GameAccount;
  /** What is free in the wallet, as on the wire. */
  free: number;
  /** The account was opened just now: its login is what one wants to see. */
  isNew: boolean;
  /** Whether money is being sent. */
  onMoving: (isMoving: boolean) => void;
  /** Called with the amount to move to the wallet. */
  onTakeHome: (amount: number) => void;
};

/** What one does with an open account. */
export function PlayPanel({ game, free, isNew, onMoving, onTakeHome }: PlayPanelProps) {
  const { t } = useTranslation('game');
  const money = useMoney();
  const playing = usePlay(game);
  const { transfer, putIn, launch } = playing;
  const isMoving = transfer.step === 'sending';
  useEffect(() => onMoving(isMoving), [onMoving, isMoving]);
  const typed = useAmountTyped(free);
  const isWaiting = transfer.step === 'processing' || (game.inProgress !== null && !isMoving);
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
      <PutInField game={game} typed={typed} free={free} disabled={isWaiting} />
      {game.launch === 'fixed' && <ByHand />}
      {/* Where one signs in by hand, the login is seen before one leaves. */}
      <CredentialsPanel code={game.code} isShownAtFirst={isNew || game.launch === 'fixed'} />
      <OtherWays game={game} inNewTab={playing.inNewTab} />
      <LaunchOutcome launch={launch} name={game.name} onHere={playing.playHere} />
      <Actions playing={playing} typed={typed} isWaiting={isWaiting} />
      <PutInOutcome
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
  /** A transfer isn't decided yet: only playing with what is there is possible. */
  isWaiting: boolean;
};

function Actions({ playing: { transfer, launch, play, putIn }, typed, isWaiting }: ActionsProps) {
  const { t } = useTranslation('game');
  const isMoving = transfer.step === 'sending';
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
