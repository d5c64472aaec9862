import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { buttonClass } from '../../ui/button-class.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { BonusCard } from './bonus-card.tsx';
import type { Bonus } from './card-state.ts';

export type BonusGridProps = {
  /** Undefined while they are on their way, and when they can't be had: then nothing is said. */
  bonuses: readonly Bonus[] | undefined;
  isPending: boolean;
  onOpen: (bonus: Bonus) => void;
};

/** All bonuses that are offered. */
export function BonusGrid({ bonuses, isPending, onOpen }: BonusGridProps) {
  const { t } = useTranslation('bonus');
  if (isPending)
    return (
      <div aria-busy="true" className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        {Array.from({ length: 4 }, (_, i) => (
          <Skeleton key={i} className="aspect-[2/1] min-h-44 w-full rounded-lg!" />
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
