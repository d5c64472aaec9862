import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../format/number.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { useLazyModule } from '../../routing/navigation.ts';
import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { Card } from '../../ui/core/card.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { ConditionsIcon } from '../../ui/data/member-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import type { Slice, WheelReply } from './use-wheel.ts';

/** Loads the panel and its texts when it is opened, because few members open it. */
const loadPanel = async () => {
  const [{ FairnessPanel }] = await Promise.all([import('./fairness-panel.tsx'), loadNamespaces(['fairness'])]);
  return { FairnessPanel };
};

/** Verification of draws, initially collapsed. */
export function Fairness({ wheel }: { wheel: WheelReply }) {
  const { t } = useTranslation('spinwheel');
  const [isOpen, setOpen] = useState(false);
  const { loadedModule: panel } = useLazyModule(loadPanel, { isEnabled: isOpen });
  return (
    <details
      className="group rounded-lg bg-panel shadow-low ring-1 ring-line"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex min-h-14 list-none items-center gap-3 rounded-lg px-5 py-3 [&::-webkit-details-marker]:hidden">
        <ConditionsIcon className="size-6 shrink-0 text-jade" />
        <h2 className="grow text-base font-semibold">{t('verify')}</h2>
        <ChevronDownIcon className="size-5 shrink-0 text-muted transition-transform group-open:rotate-180" />
      </summary>
      {isOpen && (
        <div className="px-5 pb-5">
          {panel ? (
            <SectionBoundary sectionName="fairness">
              <panel.FairnessPanel wheel={wheel} />
            </SectionBoundary>
          ) : (
            <Skeleton className="h-64 w-full" />
          )}
        </div>
      )}
    </details>
  );
}

/** Prizes and their odds, as a list. */
export function Odds({ slices }: { slices: readonly Slice[] }) {
  const { t } = useTranslation('spinwheel');
  const totalWeight = slices.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <Card title={t('odds')}>
      <ul aria-label={t('odds')} className="grid gap-x-6 sm:grid-cols-2">
        {slices.map(({ code, label, bgColor, weight }) => (
          <li key={code} className="flex items-center gap-3 border-b border-line/60 py-1.5">
            <span
              aria-hidden="true"
              className="size-4 shrink-0 rounded-full ring-1 ring-gold-deep ring-inset"
              style={{ backgroundColor: bgColor }}
            />
            <span className="min-w-0 grow">{label}</span>
            <span className="amount text-sm text-muted">{formatNumber((weight * 100) / totalWeight, 0)}%</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-muted">{t('oddsHint')}</p>
    </Card>
  );
}
