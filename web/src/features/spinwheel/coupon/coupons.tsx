import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query.ts';
import { GiftArt } from '../../../ui/art/gift-art.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/state/empty-state.tsx';
import { ErrorState } from '../../../ui/state/error-state.tsx';
import { Pagination } from '../../../ui/pagination.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { CouponTable } from './coupon-table.tsx';
import { useClaim } from './use-claim.ts';
import type { Coupon, WheelDialogs } from '../wheel/use-wheel.ts';
import { DialogBoundary } from '../../../shared/errors/dialog-boundary.tsx';

const COUPONS_PER_PAGE = 3;

export type CouponsProps = {
  /** Asks for them. */
  isWanted: boolean;
  dialogs: WheelDialogs | undefined;
  /** A dialog is going to be needed. */
  onDialog: () => void;
};

/** What was won and waits to be claimed, three a page. */
export function Coupons({ isWanted, dialogs, onDialog }: CouponsProps) {
  const { t } = useTranslation(['spinwheel', 'common']);
  const query = useQuery({ ...apiQuery('GET /api/spinwheel/coupon', { quiet: true }), enabled: isWanted });
  const claim = useClaim();
  const [asked, setPage] = useState(1);
  const coupons = query.data?.coupons;
  const total = coupons?.length ?? 0;
  // The last one of a page may have been claimed.
  const page = Math.max(1, Math.min(asked, Math.ceil(total / COUPONS_PER_PAGE)));
  const first = (page - 1) * COUPONS_PER_PAGE;
  const ask = (coupon: Coupon): void => {
    onDialog();
    claim.ask(coupon);
  };
  return (
    <Card title={t('coupons')}>
      {query.isLoadingError && <ErrorState title={t('couponsFailed')} onRetry={() => void query.refetch()} />}
      {query.isPending && <CouponsSkeleton />}
      {coupons && total === 0 && (
        <EmptyState art={<GiftArt className="h-20 w-28" />} title={t('couponsEmpty')} text={t('couponsEmptyHint')} />
      )}
      {coupons && total > 0 && (
        <CouponTable coupons={coupons.slice(first, first + COUPONS_PER_PAGE)} first={first} onClaim={ask} />
      )}
      <Pagination page={page} total={total} limit={COUPONS_PER_PAGE} onPage={setPage} />
      {dialogs && (
        <DialogBoundary part="dialog claim" onClose={claim.close}>
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
