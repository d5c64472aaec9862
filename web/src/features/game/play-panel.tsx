import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../api/use-money.ts';
import type { GameAccount } from '../../api/wallet.ts';
import { AmountInput, readAmount } from '../../ui/amount-input.tsx';
import { buttonClass } from '../../ui/button-class.ts';
import { Button } from '../../ui/button.tsx';
import { PlayIcon } from '../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { PutInOutcome } from './put-in-outcome.tsx';
import { usePlay } from './use-play.ts';

export type PlayPanelProps = {
  game: GameAccount;
  /** What is free in the wallet, as on the wire. */
  free: number;
  /** The account was opened just now: its login is what one wants to see. */
  isNew: boolean;
  onTakeHome: () => void;
};

/** What one does with an open account. */
export function PlayPanel({ game, free, isNew, onTakeHome }: PlayPanelProps) {
  const { t } = useTranslation(['game', 'transfer']);
  const money = useMoney();
  const { transfer, putIn, play, reset, isLaunching, heldBack } = usePlay(game);
  const [typed, setTyped] = useState('');
  const [isTooSmall, setTooSmall] = useState(false);
  const isMoving = transfer.step === 'sending';
  const isWaiting = transfer.step === 'processing' || (game.inProgress !== null && !isMoving);
  const amount = isWaiting ? 0 : readAmount(typed);

  /** Runs an action unless its amount is one that can't be moved. */
  const withAmount = async (action: (amount: number) => Promise<boolean>): Promise<void> => {
    const isFault = amount > 0 && amount < TRANSFER_MINIMUM;
    setTooSmall(isFault);
    if (!isFault && (await action(amount))) setTyped('');
  };
  const change = (next: string): void => {
    setTooSmall(false);
    setTyped(next);
  };
  return (
    <>
      {isWaiting && (
        <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
          <Spinner className="mt-0.5 size-5" />
          {t('inProgress')}
        </p>
      )}
      <AmountInput
        label={t('amount')}
        value={typed}
        onChange={change}
        {...money.field}
        disabled={isWaiting}
        hint={t('inWallet', { amount: money.words(free) })}
        error={isTooSmall ? t('transfer:minimumAmount', { minimum: money.limit(TRANSFER_MINIMUM) }) : undefined}
        all={{ label: t('all'), amount: free }}
      />
      {heldBack && (
        <p role="alert" className="grid gap-2 rounded-md bg-raised px-4 py-3 text-sm">
          {t('blocked')}
          <a href={heldBack} target="_blank" rel="noopener noreferrer" className={buttonClass('gold', 'sm')}>
            {t('blockedLink', { name: game.name })}
          </a>
        </p>
      )}
      <CredentialsPanel code={game.code} isShownAtFirst={isNew} />
      {game.amount > 0 && (
        <Button variant="plain" size="sm" onClick={onTakeHome}>
          {t('takeHome')}
        </Button>
      )}
      <ModalActions>
        <Button
          icon={<PlayIcon className="size-5" />}
          busy={(isLaunching && t('launching')) || (isMoving && t('transferring'))}
          onClick={() => void withAmount(play)}
        >
          {t(amount > 0 ? 'transferAndPlay' : 'play')}
        </Button>
        <Button
          variant="quiet"
          disabled={amount <= 0 || isWaiting}
          busy={isMoving && t('transferring')}
          onClick={() => void withAmount(putIn)}
        >
          {t('transferOnly')}
        </Button>
      </ModalActions>
      <PutInOutcome
        state={transfer}
        onClose={reset}
        onRetry={(again) => void putIn(again).then((isIn) => isIn && setTyped(''))}
      />
    </>
  );
}
