import type { Currency } from '@krapao/contract/money';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { usePaged } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { formatDateTime } from '../../format/date.ts';
import { webAddress } from '../../format/web-address.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { hasTabs, openTab } from '../../shared/open-tab.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

/** Polling interval in ms while a slip is being checked. */
const SLIP_POLL_MS = 3_000;
const isBeingChecked = ({ status }: Slip): boolean => status === 'PROCESSING';

/** Modal with the uploaded slips and their outcomes. */
export function SlipsModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('statement');
  return (
    <Modal open onClose={onClose} title={t('slips.title')} size="lg">
      <SlipList />
    </Modal>
  );
}

/** List of slips, ten per page. Polls while a slip is being checked. */
function SlipList() {
  const { t } = useTranslation(['statement', 'common']);
  const { currency } = useCurrency();
  const { data, pager, isPending, isChangingPage, isFetching, refetch } = usePaged('POST /api/statement/slip', {
    quiet: true,
    refetchIntervalMs: ({ slips }) => slips.some(isBeingChecked) && SLIP_POLL_MS,
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

/** Time, amount, status and button in one row; on narrow screens in two rows. The reason is below. */
const ROW_CLASS =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[11rem_7rem_minmax(0,1fr)_auto]';

export type SlipsTableProps = { slips: readonly Slip[]; currency: Currency | undefined; className?: string };

/** Table of slips with their outcomes. */
export function SlipsTable({ slips, currency, className = '' }: SlipsTableProps) {
  const { t } = useTranslation('statement');
  return (
    <table aria-label={t('slips.title')} className={`block ${className}`}>
      <thead className="sr-only sm:not-sr-only sm:block">
        <tr className={`${ROW_CLASS} border-b border-line py-2 text-left text-sm text-muted`}>
          <th className="font-medium">{t('slips.received')}</th>
          <th className="font-medium sm:text-right">{t('slips.amount')}</th>
          <th className="font-medium">{t('slips.status')}</th>
          <th className="font-medium">{t('slips.picture')}</th>
        </tr>
      </thead>
      <tbody className="block">
        {slips.map((slip) => (
          <tr key={slip._id} className={`${ROW_CLASS} border-b border-line py-3 last:border-b-0`}>
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

/**
 * Button that shows the image of a slip, in a new tab or, if the browser can't open tabs, in a dialog. Uses the slip's
 * direct link if it has one, else requests the URL by reference.
 */
export function SlipView({ slip }: { slip: Slip }) {
  const { t } = useTranslation('statement');
  const [isOpening, setOpening] = useState(false);
  const [blockedUrl, setBlockedUrl] = useState<string>();
  const [shownUrl, setShownUrl] = useState<string>();
  const label = t('slips.viewOf', { time: formatDateTime(slip.createdAt) });
  const linkedUrl = slipImageUrl(slip.link ?? '');
  const imageUrl = linkedUrl ?? blockedUrl;
  if (imageUrl && hasTabs())
    return (
      <a
        href={imageUrl}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={label}
        className={buttonClass('quiet', 'sm')}
      >
        {blockedUrl ? t('slips.blockedLink') : t('slips.view')}
      </a>
    );
  const openImage = async (): Promise<void> => {
    const tab = openTab(t('slips.opening'));
    setOpening(true);
    try {
      const url = linkedUrl ?? (await slipImage(slip.reference));
      if (tab) tab.location.replace(url);
      else if (!hasTabs()) setShownUrl(url);
      else {
        setBlockedUrl(url);
        toast.info(t('slips.blocked'));
      }
    } catch (failure) {
      tab?.close();
      toast.danger(failureText(failure));
    } finally {
      setOpening(false);
    }
  };
  const onImageMissing = (): void => {
    setShownUrl(undefined);
    toast.danger(failureText(new Error('the image could not be loaded')));
  };
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        aria-label={label}
        busy={isOpening && t('slips.view')}
        onClick={() => void openImage()}
      >
        {t('slips.view')}
      </Button>
      <Modal open={shownUrl !== undefined} onClose={() => setShownUrl(undefined)} title={t('slips.picture')} size="lg">
        <img
          src={shownUrl}
          alt={label}
          onError={onImageMissing}
          className="mx-auto h-auto max-w-full rounded-md bg-paper"
        />
      </Modal>
    </>
  );
}

export type Slip = Reply<'POST /api/statement/slip'>['slips'][number];

/** Validates the URL of a slip's image. @returns undefined if the URL may not be opened */
export const slipImageUrl = (link: string): string | undefined => webAddress(link, location.href);

/** Requests the URL of a slip's image. Throws the call's failure, or an error if the reply has no valid URL. */
export async function slipImage(reference: string): Promise<string> {
  const { url } = await call('GET /api/statement/slip/reference/{reference}', { params: { reference } });
  const imageUrl = slipImageUrl(url);
  if (imageUrl === undefined) throw new Error('the slip has no picture that can be opened');
  return imageUrl;
}
