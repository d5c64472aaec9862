import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { serverNow } from '../../api/call.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { BonusArt } from '../../ui/art/bonus-art.tsx';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { buttonClass } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { type Bonus, cardState } from './card-state.ts';
import { useGivesText } from './offer-terms.tsx';

export type BonusGridProps = {
  /** Undefined while loading and after a failure; nothing is shown after a failure. */
  bonuses: readonly Bonus[] | undefined;
  isPending: boolean;
  onOpen: (bonus: Bonus) => void;
};

export function BonusGrid({ bonuses, isPending, onOpen }: BonusGridProps) {
  const { t } = useTranslation('bonus');
  if (isPending)
    return (
      <div aria-busy="true" className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        {Array.from({ length: 4 }, (_, i) => (
          <span key={i} className="relative block aspect-[2/1] min-h-44 w-full overflow-hidden rounded-lg">
            <Skeleton className="size-full" />
            {/* `early-banners.ts` shows the banner before the app has loaded. */}
            <img data-early-banner="" alt="" className="absolute inset-0 size-full object-cover object-right" />
          </span>
        ))}
      </div>
    );
  if (!bonuses) return null;
  if (bonuses.length === 0)
    return (
      <Card>
        <EmptyState
          art={<GiftArt />}
          title={t('none')}
          text={t('hint')}
          action={
            <Link href="/user/home" className={buttonClass('quiet', 'sm')}>
              {t('home')}
            </Link>
          }
        />
      </Card>
    );
  return (
    <section aria-label={t('all')}>
      {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- to some screen readers a list without marks is none */}
      <ul role="list" className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        {bonuses.map((bonus) => (
          <li key={bonus.code}>
            <BonusCard bonus={bonus} onOpen={() => onOpen(bonus)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export type BonusCardProps = { bonus: Bonus; onOpen: () => void };

/** Card of a bonus: its banner, its name, and its state for this member. */
export function BonusCard({ bonus, onOpen }: BonusCardProps) {
  const { t } = useTranslation('bonus');
  const money = useCurrency();
  const givesText = useGivesText();
  const state = cardState(bonus, serverNow());
  const isUnavailable = state === 'exhausted' || state === 'full';
  return (
    <button
      type="button"
      data-state={state}
      disabled={isUnavailable}
      aria-haspopup="dialog"
      onClick={onOpen}
      className="night group relative isolate flex aspect-[2/1] min-h-44 narrow:aspect-auto w-full flex-col justify-end overflow-hidden rounded-lg p-4 text-left shadow-low ring-1 ring-gold/40 transition-transform ring-inset enabled:active:translate-y-px disabled:ring-line data-[state=active]:ring-2 data-[state=active]:ring-gold"
    >
      <BonusArt
        type={bonus.type}
        src={bonus.banners.find(({ image }) => image)?.image}
        className="absolute inset-0 -z-10 size-full group-disabled:grayscale"
      />
      {/* Gradient that keeps the text readable on any image. */}
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
      {isUnavailable && (
        <span className="absolute top-3 right-3 rounded-full bg-well px-3 py-1 text-sm font-semibold text-muted ring-1 ring-edge">
          {t(state === 'full' ? 'card.full' : 'card.received')}
        </span>
      )}
      <span className="w-fit rounded-full bg-lacquer-deep px-2.5 py-0.5 text-xs text-gold-lit ring-1 ring-gold/40">
        {t(`often.${bonus.type}`, { count: bonus.maxReceived })}
      </span>
      <span className="mt-1 text-lg leading-normal font-bold text-ivory">{bonus.name}</span>
      <span className="text-sm font-semibold text-gold-lit">{givesText(bonus)}</span>
      {bonus.minimumDeposit > 0 && (
        <span className="text-xs text-muted">
          {t('card.minimumDeposit', { amount: money.format(bonus.minimumDeposit) })}
        </span>
      )}
    </button>
  );
}
