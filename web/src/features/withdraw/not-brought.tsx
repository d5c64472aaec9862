import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import type { Requested } from './use-withdraw.ts';

const KNOWN_REASONS: Readonly<
  Record<string, 'PROCESSING' | 'TRANSFER_IN_PROGRESS' | 'OPEN_BETS' | 'MAINTENANCE' | undefined>
> = {
  PROCESSING: 'PROCESSING',
  TRANSFER_IN_PROGRESS: 'TRANSFER_IN_PROGRESS',
  OPEN_BETS: 'OPEN_BETS',
  // Of the provider, as it says itself; or of the game, as the operator has set.
  PROVIDER_MAINTENANCE: 'MAINTENANCE',
  MAINTENANCE: 'MAINTENANCE',
};

export type NotBroughtProps = {
  /** For the names of games. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  list: Requested['notBrought'];
};

/** Games whose money is still there, and why. */
export function NotBrought({ games, list }: NotBroughtProps) {
  const { t } = useTranslation('withdraw');
  if (list.length === 0) return null;
  const reasonOf = (reason: string): string => t(`notBroughtReason.${KNOWN_REASONS[reason] ?? 'other'}`);
  return (
    <div className="mt-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('notBrought')}</p>
      <ul>
        {list.map(({ slotCode, reason }) => (
          <li key={slotCode} className="flex flex-wrap justify-between gap-x-3">
            <span className="font-semibold">{games.find(({ code }) => code === slotCode)?.name ?? slotCode}</span>
            <span>{reasonOf(reason)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
