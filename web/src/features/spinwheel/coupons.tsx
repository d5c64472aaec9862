import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { formatDateTime } from '../../format/date.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { useClaim } from './use-claim.ts';
import { usePrizeText } from './use-spin.ts';
import type { Coupon, WheelDialogs } from './use-wheel.ts';

const COUPONS_PER_PAGE = 3;

export type CouponsProps = {
  /** Whether the coupons may be loaded. */
  isEnabled: boolean;
  dialogs: WheelDialogs | undefined;
  /** Preloads the dialogs. */
  onDialog: () => void;
};

/** Unclaimed prizes of the member, three per page. */
export function Coupons({ isEnabled, dialogs, onDialog }: CouponsProps) {
  const { t } = useTranslation(['spinwheel', 'common']);
  const query = useQuery({ ...apiQuery('GET /api/spinwheel/coupon', { quiet: true }), enabled: isEnabled });
  const claim = useClaim();
  const [requestedPage, setPage] = useState(1);
  const coupons = query.data?.coupons;
  const total = coupons?.length ?? 0;
  // Claiming the last coupon of a page reduces the number of pages.
  const page = Math.max(1, Math.min(requestedPage, Math.ceil(total / COUPONS_PER_PAGE)));
  const firstIndex = (page - 1) * COUPONS_PER_PAGE;
  const askForClaim = (coupon: Coupon): void => {
    onDialog();
    claim.askToConfirm(coupon);
  };
  return (
    <Card title={t('coupons')}>
      {query.isLoadingError && <ErrorState title={t('couponsFailed')} onRetry={() => void query.refetch()} />}
      {query.isPending && <CouponsSkeleton />}
      {coupons && total === 0 && (
        <EmptyState art={<GiftArt className="h-20 w-28" />} title={t('couponsEmpty')} text={t('couponsEmptyHint')} />
      )}
      {coupons && total > 0 && (
        <CouponTable
          coupons={coupons.slice(firstIndex, firstIndex + COUPONS_PER_PAGE)}
          skippedCount={firstIndex}
          onClaim={askForClaim}
        />
      )}
      <Pagination page={page} total={total} limit={COUPONS_PER_PAGE} onPage={setPage} />
      {dialogs && (
        <DialogBoundary sectionName="dialog claim" onClose={claim.close}>
          <dialogs.ClaimDialogs claim={claim} />
        </DialogBoundary>
      )}
    </Card>
  );
}

function CouponsSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      {[1, 2, 3].map((coupon) => (
        <div key={coupon} className="flex items-center gap-3 border-b border-line py-3 last:border-b-0">
          <div className="grow space-y-2">
            <Skeleton className="h-5 w-32" />
            <Skeleton className="h-4 w-44" />
          </div>
          <Skeleton className="h-11 w-20" />
        </div>
      ))}
    </div>
  );
}

/** Row with number, prize and expiry; the amount is beside them, and the button below the amount. */
const ROW_CLASS = 'grid grid-cols-[1.25rem_minmax(0,1fr)_auto] gap-x-3 gap-y-1';
const CREDIT_TARGETS = {
  index: 'row-span-2 pt-0.5',
  prize: 'row-span-2 min-w-0',
  amount: 'text-right',
  claim: 'justify-self-end',
};

export type CouponTableProps = {
  coupons: readonly Coupon[];
  /** Number of coupons on earlier pages. */
  skippedCount: number;
  onClaim: (coupon: Coupon) => void;
};

/** Coupons, each with its prize and a claim button. */
export function CouponTable({ coupons, skippedCount, onClaim }: CouponTableProps) {
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
          <CouponRow key={coupon._id} coupon={coupon} number={skippedCount + index + 1} onClaim={onClaim} />
        ))}
      </tbody>
    </table>
  );
}

type CouponRowProps = { coupon: Coupon; number: number; onClaim: (coupon: Coupon) => void };

function CouponRow({ coupon, number, onClaim }: CouponRowProps) {
  const { t } = useTranslation('spinwheel');
  const amountOf = usePrizeText(useCurrency());
  const { name, kind, slice } = coupon.prize;
  return (
    <tr className={`${ROW_CLASS} border-b border-line py-3 last:border-b-0`}>
      <td className={`amount text-sm text-muted ${CREDIT_TARGETS.index}`}>{number}</td>
      <td className={CREDIT_TARGETS.prize}>
        <p className="font-semibold">{slice.label}</p>
        <p className="text-sm text-muted">{name}</p>
        {coupon.expiresAt && (
          <p className="text-xs text-faint tabular-nums">{t('expires', { at: formatDateTime(coupon.expiresAt) })}</p>
        )}
      </td>
      <td className={`amount text-sm font-semibold text-gold-lit ${CREDIT_TARGETS.amount}`}>
        {amountOf(kind, coupon.amount)}
      </td>
      <td className={CREDIT_TARGETS.claim}>
        <Button variant="gold" size="sm" onClick={() => onClaim(coupon)}>
          {t('claim')}
          <span className="sr-only"> · {slice.label}</span>
        </Button>
      </td>
    </tr>
  );
}
