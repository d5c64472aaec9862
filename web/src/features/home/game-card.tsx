import { toWire } from '@krapao/contract/money';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { creditOf, type GameAccount } from '../../shared/wallet/use-wallet.ts';
import type { Currency } from '@krapao/contract/money';
import { formatAmount } from '../../format/number.ts';
import { Amount } from '../../ui/text/amount.tsx';
import type { CardPlace } from '../../ui/carousel/carousel-3d.tsx';
import { GameArt } from '../../ui/art/game-art.tsx';
import { GameLogo } from '../../ui/art/game-logo.tsx';
import { TicketIcon } from '../../ui/icons/game-icons.tsx';
import { ClockIcon } from '../../ui/icons/member-icons.tsx';
import { Spinner } from '../../ui/state/spinner.tsx';

export type GameCardProps = CardPlace & { game: GameAccount; currency: Currency; onOpen: (game: GameAccount) => void };

/**
 * A game account as a card of the carousel: 300 × 211, whatever the screen, so large text is capped in pixels. It is called by what stands on it. The ring of
 * the focus stands inside: outside, cards beside it and the edge of its layer cut it off.
 */
export const GameCard = memo(function GameCard({ game, currency, onOpen, ...place }: GameCardProps) {
  return (
    <button
      type="button"
      {...place}
      onClick={() => onOpen(game)}
      className="group relative isolate flex size-full flex-col justify-between overflow-hidden rounded-lg bg-panel text-left shadow-high ring-1 ring-gold/40 -outline-offset-2 ring-inset"
    >
      <GameArt
        category={game.category}
        src={game.background}
        className={`absolute inset-0 -z-10 size-full ${game.isActive ? '' : 'opacity-60 saturate-50'}`}
      />
      <span className="flex flex-wrap items-start justify-between gap-x-2 gap-y-1 p-3">
        <span
          translate="no"
          className="flex min-w-0 items-center gap-2 rounded-full bg-well/80 py-0.5 pr-3 pl-0.5 text-sm font-semibold text-ivory narrow:text-[20px]"
        >
          <GameLogo src={game.logo} />
          {game.name}
        </span>
        <Marks game={game} />
      </span>
      <span className="block px-4 pb-3">
        {game.isActive ? <Balance game={game} currency={currency} /> : <Prompt inMaintenance={game.inMaintenance} />}
      </span>
    </button>
  );
});

function Balance({ game, currency }: { game: GameAccount; currency: Currency }) {
  const { t } = useTranslation('home');
  const credit = creditOf(game);
  const shownCredit = credit === undefined ? '-' : formatAmount(toWire(credit), { currency });
  return (
    <>
      <span className="block text-xl leading-tight font-bold text-gold-lit narrow:text-[28px]">
        <Amount value={game.amount} currency={currency} withSign counts />
      </span>
      <span className="amount block text-sm text-muted narrow:text-[18px]">{t('credit', { credit: shownCredit })}</span>
      {game.outstanding > 0 && (
        <span className="amount flex items-center gap-1 text-sm text-amber narrow:text-[18px]">
          <TicketIcon className="size-4" />
          {t('openBets', { amount: formatAmount(game.outstanding, { currency }) })}
        </span>
      )}
    </>
  );
}

function Prompt({ inMaintenance }: { inMaintenance: boolean }) {
  const { t } = useTranslation('home');
  return (
    <>
      <span className="block font-semibold text-gold-lit narrow:text-[22px]">
        {t(inMaintenance ? 'inMaintenance' : 'openAccount')}
      </span>
      <span className="block text-sm text-muted narrow:text-[18px]">{t(inMaintenance ? 'backLater' : 'notOpen')}</span>
    </>
  );
}

/** What makes the figure less than certain or useful: a transfer under way, a closed game, a provider that didn't answer. */
function Marks({ game }: { game: GameAccount }) {
  const { t } = useTranslation('home');
  const look =
    'flex items-center gap-1 rounded-full bg-amber-deep px-2.5 py-0.5 text-xs font-medium text-amber narrow:text-[16px]';
  if (game.inProgress)
    return (
      <span className={look}>
        <Spinner className="size-3.5" />
        {t('inProgress')}
      </span>
    );
  if (!game.isActive || !(game.inMaintenance || game.isStale)) return null;
  return (
    <span className={look}>
      <ClockIcon className="size-3.5" />
      {t(game.inMaintenance ? 'inMaintenance' : 'stale')}
    </span>
  );
}
