import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/server-clock.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { BonusArt } from '../../ui/art/bonus-art.tsx';
import { type Bonus, cardStateOf } from './card-state.ts';
import { useGives } from './terms.tsx';

export type BonusCardProps = { bonus: Bonus; onOpen: () => void };

/** A bonus on its banner: what it gives, and how it stands for this member. */
export function BonusCard({ bonus, onOpen }: BonusCardProps) {
  const { t } = useTranslation('bonus');
  const money = useMoney();
  const gives = useGives();
  const state = cardStateOf(bonus, serverNow());
  const isOver = state === 'exhausted' || state === 'full';
  return (
    <button
      type="button"
      data-state={state}
      disabled={isOver}
      aria-haspopup="dialog"
      onClick={onOpen}
      className="group relative isolate flex aspect-[2/1] min-h-44 narrow:aspect-auto w-full flex-col justify-end overflow-hidden rounded-lg p-4 text-left shadow-low ring-1 ring-gold/40 transition-transform ring-inset enabled:active:translate-y-px disabled:ring-line data-[state=active]:ring-2 data-[state=active]:ring-gold"
    >
      <BonusArt
        type={bonus.type}
        src={bonus.banners.find(({ image }) => image)?.image}
        className="absolute inset-0 -z-10 size-full group-disabled:grayscale"
      />
      {/* What is written holds its contrast over any picture. */}
      <span className="absolute inset-0 -z-10 bg-linear-to-tr from-well from-15% via-well/75 via-50% to-transparent to-80% group-disabled:to-well/70" />
      {state === 'active' && (
        <img
          src="/art/bonus/current.svg"
          alt={t('card.current')}
          width="88"
          height="88"
          className="absolute top-0 right-0 size-22"
        />
      )}
      {isOver && (
        <span className="absolute top-3 right-3 rounded-full bg-well px-3 py-1 text-sm font-semibold text-muted ring-1 ring-edge">
          {t(state === 'full' ? 'card.full' : 'card.received')}
        </span>
      )}
      <span className="w-fit rounded-full bg-lacquer-deep px-2.5 py-0.5 text-xs text-gold-lit ring-1 ring-gold/40">
        {t(`often.${bonus.type}`, { count: bonus.maxReceived })}
      </span>
      <span className="mt-1 text-lg leading-normal font-bold text-ivory">{bonus.name}</span>
      <span className="text-sm font-semibold text-gold-lit">{gives(bonus)}</span>
      {bonus.minimumDeposit > 0 && (
        <span className="text-xs text-muted">
          {t('card.minimumDeposit', { amount: money.text(bonus.minimumDeposit) })}
        </span>
      )}
    </button>
  );
}
