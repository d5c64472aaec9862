import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../../format/number.ts';
import { Card } from '../../../ui/card.tsx';
import type { Slice } from '../wheel/wheel-slice.ts';

/** What can be won and how likely: what the wheel's picture says, and what it doesn't. */
export function Odds({ slices }: { slices: readonly Slice[] }) {
  const { t } = useTranslation('spinwheel');
  const all = slices.reduce((sum, { weight }) => sum + weight, 0);
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
            <span className="amount text-sm text-muted">{formatNumber((weight * 100) / all, 0)}%</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-muted">{t('oddsHint')}</p>
    </Card>
  );
}
