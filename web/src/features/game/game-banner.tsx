import type { CSSProperties } from 'react';
import { toWire } from '@krapao/contract/money';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { balancesRefresh, refreshBalances } from '../../shared/wallet/refresh-balances.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { creditOf, type GameAccount } from '../../shared/wallet/use-wallet.ts';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { GameArt } from '../../ui/art/game-art.tsx';
import { GameLogo } from '../../ui/art/game-logo.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { RefreshIcon } from '../../ui/icons/member-icons.tsx';

/** Maximum characters of a balance at full size. */
const CHARACTERS_MIN = 6;

/** The game's picture with what the account holds. */
export function GameBanner({ game }: { game: GameAccount }) {
  const { t } = useTranslation('game');
  const { currency } = useMoney();
  const credit = creditOf(game);
  const characters = Math.max(formatAmount(game.amount, { currency, withSign: true }).length, CHARACTERS_MIN);
  return (
    <div className="relative isolate @container flex min-h-36 min-[24rem]:min-h-44 sm:min-h-55 narrow:min-h-32 flex-col justify-end overflow-hidden rounded-lg p-4 ring-1 ring-gold/40 ring-inset">
      {/* Shown from its top, where the picture is; the bottom of it is meant for the words of a card. */}
      <GameArt
        category={game.category}
        src={game.background}
        className="absolute inset-x-0 top-0 -z-10 aspect-[300/211] w-full"
      />
      <span className="absolute inset-0 -z-10 bg-linear-to-r from-well via-well/75 via-55% to-transparent to-85%" />
      <GameLogo src={game.logo} className="-mt-1 mb-auto size-12 max-[24rem]:size-9 narrow:hidden" />
      {game.isActive && (
        <>
          <p className="text-sm text-ivory">{t('balance')}</p>
          <p
            aria-live="polite"
            className="fit-amount font-bold text-gold-lit [--text-balance:var(--text-2xl)]"
            style={{ '--characters': characters } as CSSProperties}
          >
            <Amount value={game.amount} currency={currency} withSign counts />
          </p>
          <p className="amount text-sm text-ivory narrow:whitespace-normal">
            {t('credit', { credit: credit === undefined ? '-' : formatAmount(toWire(credit), { currency }) })}
          </p>
        </>
      )}
      {game.isActive && <Refresh />}
      {game.isActive && game.isStale && (
        <p className="mt-1 w-fit rounded-sm bg-amber-deep px-2 py-0.5 text-xs text-amber">{t('stale')}</p>
      )}
    </div>
  );
}

/** Asks the providers for their amounts: another window may have the game, where no return tells that it is over. */
function Refresh() {
  const { t } = useTranslation('game');
  const { isFetching } = useQuery({ ...balancesRefresh, enabled: false });
  return (
    <IconButton
      label={t(isFetching ? 'refreshing' : 'refresh')}
      aria-busy={isFetching}
      onClick={() => void refreshBalances()}
      className="absolute top-2 right-2 bg-well/75 text-gold-lit!"
    >
      <RefreshIcon className={`size-5 ${isFetching ? 'animate-turn' : ''}`} />
    </IconButton>
  );
}
