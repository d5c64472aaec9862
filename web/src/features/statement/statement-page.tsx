import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reply } from '../../api/types.ts';
import { usePaged } from '../../api/query/query.ts';
import { useWallet } from '../../member/wallet.ts';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { SlipIcon } from '../../ui/deposit-icons.tsx';
import { RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { SlipsModal } from './slips.tsx';
import { StatementRow, type StatementRowProps } from './statement-row.tsx';
import { useHashTarget } from '../../routing/hash-target.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';

/** URL hash that opens the slips modal. */
const SLIPS_HASH = '#slips';

/** Statement of the wallet, newest first, ten entries per page. */
export function StatementPage() {
  const { t } = useTranslation(['statement', 'common']);
  const { data, pager, isChangingPage, isFetching, refetch, ...page } = usePaged('POST /api/statement');
  const { data: wallet, isPending: isWalletPending } = useWallet();
  // Also waits for the wallet, which contains the currency and the names of games. Otherwise rows would show codes, and
  // kip as baht.
  const isPending = page.isPending || isWalletPending;
  const isHydrated = useHydrated();
  const [areSlipsOpen, setSlipsOpen] = useState<boolean>();
  // The address keeps its hash, so that a reload opens the modal again.
  useHashTarget((name) => {
    if (name === 'slips') setSlipsOpen(true);
    return false;
  });
  const isRequestedByHash = areSlipsOpen === undefined && isHydrated && location.hash === SLIPS_HASH;
  return (
    <div className="mx-auto w-full max-w-2xl">
      <div className="mb-4 flex flex-wrap items-center gap-x-2 gap-y-1">
        <h1 className="grow text-2xl font-bold">{t('title')}</h1>
        <Button
          variant="quiet"
          size="sm"
          aria-haspopup="dialog"
          icon={<SlipIcon className="size-5" />}
          className="order-1 w-full sm:order-none sm:w-auto"
          onClick={() => setSlipsOpen(true)}
        >
          {t('slips.open')}
        </Button>
        <IconButton label={t('refresh')} onClick={refetch} disabled={isFetching}>
          <RefreshIcon className={`size-6 ${isFetching ? 'motion-safe:animate-spin' : ''}`} />
        </IconButton>
      </div>
      {/* After a failed first load, neither rows nor skeletons are shown. */}
      {(isPending || data) && (
        <Card className="px-2 py-2 sm:px-3">
          {isPending && <StatementSkeleton />}
          {!isPending && data && (
            <StatementRows
              {...data}
              isBusy={isFetching}
              isDimmed={isChangingPage}
              games={wallet?.slots ?? []}
              currency={wallet?.profile.currency}
            />
          )}
        </Card>
      )}
      {(areSlipsOpen || isRequestedByHash) && (
        <DialogBoundary sectionName="dialog slips" onClose={() => setSlipsOpen(false)}>
          <SlipsModal onClose={() => setSlipsOpen(false)} />
        </DialogBoundary>
      )}
      {pager && <Pagination {...pager} />}
    </div>
  );
}

type MovementsProps = Reply<'POST /api/statement'> &
  Pick<StatementRowProps, 'games' | 'currency'> & { isBusy: boolean; isDimmed: boolean };

function StatementRows({ total, statements, isBusy, isDimmed, games, currency }: MovementsProps) {
  const { t } = useTranslation('statement');
  if (total === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} />;
  return (
    <ul aria-label={t('title')} aria-busy={isBusy} className={isDimmed ? 'opacity-60' : ''}>
      {statements.map((entry) => (
        <StatementRow key={entry._id} entry={entry} games={games} currency={currency} />
      ))}
    </ul>
  );
}

function StatementSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      {Array.from({ length: 6 }, (_, i) => (
        <div key={i} className="flex items-center gap-3 border-b border-line px-2 py-3 last:border-b-0">
          <Skeleton className="size-11 rounded-full!" />
          <div className="grow space-y-2">
            <Skeleton className="h-5 w-2/3" />
            <Skeleton className="h-4 w-1/2" />
          </div>
          <Skeleton className="h-5 w-20" />
        </div>
      ))}
    </div>
  );
}
