import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { usePaged } from '../../api/use-paged.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { RefreshIcon } from '../../ui/icons/member-icons.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import type { Slip } from './slip.ts';
import { SlipsTable } from './slips-table.tsx';

/** How often slips that are being checked are asked about. */
const LOOK_AGAIN_MS = 3_000;
const isUnderWay = ({ status }: Slip): boolean => status === 'PROCESSING';

/** The uploaded slips with their outcomes. */
export function SlipsModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('statement');
  return (
    <Modal open onClose={onClose} title={t('slips.title')} size="lg">
      <Slips />
    </Modal>
  );
}

/** Ten a page. Goes on by itself while one is being checked. */
function Slips() {
  const { t } = useTranslation(['statement', 'common']);
  const { currency } = useMoney();
  const { data, pager, isPending, isChangingPage, isFetching, refetch } = usePaged('POST /api/statement/slip', {
    quiet: true,
    againMs: ({ slips }) => slips.some(isUnderWay) && LOOK_AGAIN_MS,
  });
  return (
    <>
      <div className="flex justify-end">
        <Button
          variant="plain"
          size="sm"
          icon={<RefreshIcon className={`size-5 ${isFetching ? 'motion-safe:animate-spin' : ''}`} />}
          onClick={refetch}
        >
          {t('slips.refresh')}
        </Button>
      </div>
      {isPending && <SlipsSkeleton />}
      {data && data.total === 0 && <EmptyState title={t('slips.empty')} text={t('slips.emptyHint')} />}
      {data && data.total > 0 && (
        <SlipsTable slips={data.slips} currency={currency} className={isChangingPage ? 'opacity-60' : ''} />
      )}
      {pager && <Pagination {...pager} />}
    </>
  );
}

function SlipsSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      {[1, 2, 3].map((slip) => (
        <div key={slip} className="flex items-center gap-3 border-b border-line py-3 last:border-b-0">
          <div className="grow space-y-2">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-6 w-24" />
          </div>
          <Skeleton className="h-11 w-20" />
        </div>
      ))}
    </div>
  );
}
