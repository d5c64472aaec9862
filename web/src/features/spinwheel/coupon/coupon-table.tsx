import { useTranslation } from 'react-i18next';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { formatDateTime } from '../../../format/date.ts';
import { Button } from '../../../ui/button.tsx';
import { usePrizeWords } from './prize-words.ts';
import type { Coupon } from '../wheel/use-wheel.ts';

/** Number, what it is and until when; beside it how much, and the button below that. */
const ROW = 'grid grid-cols-[1.25rem_minmax(0,1fr)_auto] gap-x-3 gap-y-1';
const WHERE = {
  index: 'row-span-2 pt-0.5',
  prize: 'row-span-2 min-w-0',
  amount: 'text-right',
  claim: 'justify-self-end',
};

export type CouponTableProps = {
  coupons: readonly Coupon[];
  /** How many come before. */
  first: number;
  onClaim: (coupon: Coupon) => void;
};

/** Coupons with their prize and a claim button. */
export function CouponTable({ coupons, first, onClaim }: CouponTableProps) {
  const { t } = useTranslation('spinwheel');
  return (
    <table aria-label={t('coupons')} className="block">
      <thead className="sr-only">
        <tr>
          <th>{t('column.index')}</th>
          <th>{t('column.prize')}</th>
          <th>{t('column.amount')}</th>
          <th>{t('column.claim')}</th>
        </tr>
      </thead>
      <tbody className="block">
        {coupons.map((coupon, index) => (
          <CouponRow key={coupon._id} coupon={coupon} number={first + index + 1} onClaim={onClaim} />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = { coupon: Coupon; number: number; onClaim: (coupon: Coupon) => void };

function CouponRow({ coupon, number, onClaim }: RowProps) {
  const { t } = useTranslation('spinwheel');
  const amountOf = usePrizeWords(useMoney());
  const { name, kind, slice } = coupon.prize;
  return (
    <tr className={`${ROW} border-b border-line py-3 last:border-b-0`}>
      <td className={`amount text-sm text-muted ${WHERE.index}`}>{number}</td>
      <td className={WHERE.prize}>
        <p className="font-semibold">{slice.label}</p>
        <p className="text-sm text-muted">{name}</p>
        {coupon.expiresAt && (
          <p className="text-xs text-faint tabular-nums">{t('expires', { at: formatDateTime(coupon.expiresAt) })}</p>
        )}
      </td>
      <td className={`amount text-sm font-semibold text-gold-lit ${WHERE.amount}`}>{amountOf(kind, coupon.amount)}</td>
      <td className={WHERE.claim}>
        <Button variant="gold" size="sm" onClick={() => onClaim(coupon)}>
          {t('claim')}
          <span className="sr-only"> · {slice.label}</span>
        </Button>
      </td>
    </tr>
  );
}
