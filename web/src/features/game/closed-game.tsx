import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../api/wallet.ts';
import { CredentialsPanel } from './credentials-panel.tsx';

/** A game in maintenance: what that means for the member and for the money there. */
export function ClosedGame({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  return (
    <>
      <div className="grid gap-1 rounded-md bg-amber-deep px-4 py-3">
        <h3 className="font-semibold text-amber">{t('closedTitle', { name: game.name })}</h3>
        <p className="text-sm text-ivory">{t(game.amount > 0 ? 'closedMoney' : 'closedText')}</p>
      </div>
      {game.isActive && <CredentialsPanel code={game.code} isShownAtFirst={false} />}
    </>
  );
}
