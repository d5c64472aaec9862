import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { Button } from '../../ui/button.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';

/** A game that is offered no more: there is something of the member's, and it goes home. */
export function HiddenGame({ game, onTakeHome }: { game: GameAccount; onTakeHome: (amount: number) => void }) {
  const { t } = useTranslation('game');
  const { text } = useMoney();
  return (
    <>
      <div className="grid gap-1 rounded-md bg-amber-deep px-4 py-3">
        <h3 className="font-semibold text-amber">{t('hiddenTitle', { name: game.name })}</h3>
        <p className="text-sm text-ivory">{t(game.amount > 0 ? 'hiddenMoney' : 'hiddenText')}</p>
      </div>
      {game.amount > 0 && (
        <ModalActions>
          <Button onClick={() => onTakeHome(game.amount)}>{t('takeHome', { amount: text(game.amount) })}</Button>
        </ModalActions>
      )}
    </>
  );
}

/** A game in maintenance: what that means for the member and for the money there. */
export function ClosedGame({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  return (
    <>
      <div className="grid gap-1 rounded-md bg-amber-deep px-4 py-3">
        <h3 className="font-semibold text-amber">{t('closedTitle', { name: game.name })}</h3>
        <p className="text-sm text-ivory">{t(game.amount > 0 ? 'closedMoney' : 'closedText')}</p>
      </div>
      {game.isActive && !game.isHidden && <CredentialsPanel code={game.code} isShownAtFirst={false} />}
    </>
  );
}
