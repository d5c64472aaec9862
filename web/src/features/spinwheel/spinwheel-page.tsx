import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query.ts';
import { loadWords } from '../../i18n/load-words.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { ClosedWheel } from './closed-wheel.tsx';
import { Coupons } from './coupon/coupons.tsx';
import { Fairness, Odds } from './fairness/fairness.tsx';
import { OpenWheel } from './open-wheel.tsx';
import { usePart } from './use-part.ts';
import { useWheel } from './wheel/use-wheel.ts';

/** With the words of every code: a refusal of the wheel comes as an answer, which loads none. */
async function loadDialogs() {
  const [dialogs] = await Promise.all([import('./wheel-dialogs.ts'), loadWords(['errors'])]);
  return dialogs;
}

/** The spin wheel: spinning it, what was won, the odds, and how each spin can be verified. */
export function SpinPage() {
  const { t } = useTranslation(['spinwheel', 'common']);
  const active = useQuery(apiQuery('GET /api/spinwheel/active', { quiet: true }));
  const isOpen = active.data?.isActive ?? false;
  const { part: dialogs, load } = usePart(loadDialogs);
  const { query, wheel, slicesOf } = useWheel(isOpen);
  // Claimed also while the wheel is closed: they run out meanwhile.
  const coupons = <Coupons isWanted={active.data !== undefined} dialogs={dialogs} onDialog={load} />;
  if (active.data && !isOpen) return <ClosedWheel>{coupons}</ClosedWheel>;
  const again = (): unknown => Promise.all([active.refetch(), isOpen && query.refetch()]);
  return (
    <div className="mx-auto grid w-full max-w-5xl grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,1fr)_25rem] lg:items-start lg:gap-8">
      <section aria-labelledby="wheel-name" className="grid gap-4 lg:sticky lg:top-20">
        <h1 id="wheel-name" className="text-center text-2xl font-bold">
          {wheel?.activeSpinwheel.name ?? t('title')}
        </h1>
        {wheel ? (
          <OpenWheel dialogs={dialogs} onDialog={load} wheel={wheel} slicesOf={slicesOf} />
        ) : active.isLoadingError || query.isLoadingError ? (
          <Card>
            <ErrorState title={t('failed')} money={t('failedMoney')} onRetry={again} />
          </Card>
        ) : (
          <WheelSkeleton />
        )}
      </section>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {!active.isLoadingError && coupons}
        {wheel && <Odds slices={wheel.activeSpinwheel.sliceList} />}
        {wheel && <Fairness wheel={wheel} />}
      </div>
    </div>
  );
}

function WheelSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid justify-items-center gap-4">
      <Skeleton className="aspect-square w-[min(85vw,350px)] rounded-full!" />
      {/* As high as the words below the wheel. */}
      <div className="flex h-21 flex-col items-center justify-end gap-2">
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-5 w-44" />
      </div>
    </div>
  );
}
