import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../format/date.ts';
import type { Currency } from '@krapao/contract/money';
import { Amount } from '../../ui/text/amount.tsx';
import { StatusBadge } from '../../ui/text/status-badge.tsx';
import type { Slip } from './slip.ts';
import { SlipView } from './slip-view.tsx';

/** When it came, amount, status, view: beside each other where there is room, else two by two, with the reason below. */
const ROW =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[11rem_7rem_minmax(0,1fr)_auto]';

export type SlipsTableProps = { slips: readonly Slip[]; currency: Currency | undefined; className?: string };

/** Slips with their outcomes. */
export function SlipsTable({ slips, currency, className = '' }: SlipsTableProps) {
  const { t } = useTranslation('statement');
  return (
    <table aria-label={t('slips.title')} className={`block ${className}`}>
      <thead className="sr-only sm:not-sr-only sm:block">
        <tr className={`${ROW} border-b border-line py-2 text-left text-sm text-muted`}>
          <th className="font-medium">{t('slips.received')}</th>
          <th className="font-medium sm:text-right">{t('slips.amount')}</th>
          <th className="font-medium">{t('slips.status')}</th>
          <th className="font-medium">{t('slips.picture')}</th>
        </tr>
      </thead>
      <tbody className="block">
        {slips.map((slip) => (
          <tr key={slip._id} className={`${ROW} border-b border-line py-3 last:border-b-0`}>
            <td className="text-sm text-muted tabular-nums">{formatDateTime(slip.createdAt)}</td>
            <td className="text-right font-semibold">
              <Amount value={slip.amount} currency={currency ?? 'BAHT'} withSign />
            </td>
            <td className="min-w-0">
              <StatusBadge status={slip.status} />
              {slip.note && <p className="mt-1 text-sm text-muted">{t(`slips.reason.${slip.note}`)}</p>}
              {slip.underReview && <p className="mt-1 text-sm text-muted">{t('slips.underReview')}</p>}
            </td>
            <td className="justify-self-end">
              <SlipView slip={slip} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
