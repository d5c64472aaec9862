import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Bets } from './bets.tsx';
import { ClosedGame, HiddenGame } from './closed-game.tsx';
import { CreditRate } from './credit-rate.tsx';
import { GameBanner } from './game-banner.tsx';
import { OpenAccount } from './open-account.tsx';
import { PlayPanel } from './play-panel.tsx';

export type GameDialogProps = {
  /** The game's code. */
  code: string;
  onClose: () => void;
  /** Called with the amount to move to the wallet. */
  onTakeHome: (amount: number) => void;
};

/** One game account: open it, see its login, put money in, play. */
export function GameDialog({ code, onClose, onTakeHome }: GameDialogProps) {
  const { t } = useTranslation('game');
  const { data, isLoading } = useWallet();
  const [isNew, setNew] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const top = useTopOnReturn();
  const game = data?.slots.find((slot) => slot.code === code);
  return (
    // Who left while money is being sent would not hear how it went, nor could ask for the very same again.
    <Modal open onClose={isMoving ? undefined : onClose} title={game?.name ?? code}>
      {game && data ? (
        <div ref={top} className="grid scroll-mt-4 gap-4">
          <GameBanner game={game} />
          <CreditRate game={game} />
          {game.isActive && <Bets game={game} />}
          {game.inMaintenance ? (
            <ClosedGame game={game} />
          ) : game.isHidden ? (
            <HiddenGame game={game} onTakeHome={onTakeHome} />
          ) : game.isActive ? (
            <PlayPanel
              game={game}
              free={data.wallet.amount}
              isNew={isNew}
              onMoving={setMoving}
              onTakeHome={onTakeHome}
            />
          ) : (
            <OpenAccount game={game} onOpened={() => setNew(true)} />
          )}
        </div>
      ) : isLoading ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <EmptyState title={t('missing')} />
      )}
    </Modal>
  );
}

/** Scrolls to the balance when the member returns from the tab of a game. */
function useTopOnReturn() {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onReturn = (): void => {
      if (document.visibilityState === 'visible') top.current?.scrollIntoView({ block: 'start' });
    };
    document.addEventListener('visibilitychange', onReturn);
    addEventListener('pageshow', onReturn);
    return () => {
      document.removeEventListener('visibilitychange', onReturn);
      removeEventListener('pageshow', onReturn);
    };
  }, []);
  return top;
}
