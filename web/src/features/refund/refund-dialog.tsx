import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery, usePaged } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { formatDateTime } from '../../format/date.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { withMissing, ConditionProgress } from '../../shared/incentive.tsx';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/core/button.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { SafeHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { PagedSection } from '../../ui/paged-section.tsx';
import { RefundOffer, REASON_ID, useReceiveRefund } from './refund-offer.tsx';

export type RefundDialogProps = {
  /** `hasSaved` is true if a refund was received. */
  onClose: (hasSaved: boolean) => void;
};

/** Refund of losses: its amount, its conditions, and earlier refunds. */
export function RefundDialog({ onClose }: RefundDialogProps) {
  const { t } = useTranslation('refund');
  const { currency } = useCurrency();
  const { data, isError, refetch } = useQuery(apiQuery('GET /api/refund/check', { quiet: true }));
  const receiving = useReceiveRefund();
  const close = (): void => onClose(receiving.isSaved);
  return (
    <Modal
      open
      onClose={close}
      title={t('title')}
      footer={<RefundActions refund={data} receiving={receiving} onClose={close} />}
    >
      {data ? (
        <div className="grid gap-5">
          {data.info && <SafeHtml html={data.info} className="text-sm" />}
          {data.condition && (
            <section aria-labelledby="refund-running" className="rounded-md bg-raised px-4 py-3">
              <h3 id="refund-running" className="mb-1 text-sm text-muted">
                {t('running')}
              </h3>
              <ConditionProgress condition={withMissing(data.condition)} currency={currency} />
            </section>
          )}
          <RefundOffer refund={data} />
          {receiving.failure !== undefined && (
            <AskSupport kind="bonus" failure={receiving.failure} className="-mt-3!" />
          )}
        </div>
      ) : isError ? (
        <ErrorState title={t('failed')} onRetry={() => void refetch()} />
      ) : (
        <OfferSkeleton />
      )}
      <RefundLog />
    </Modal>
  );
}

type RefundActionsProps = {
  refund: Reply<'GET /api/refund/check'> | undefined;
  receiving: ReturnType<typeof useReceiveRefund>;
  onClose: () => void;
};

/** Buttons of the dialog. An unfinished claim has to be completed before another refund can be received. */
function RefundActions({ refund, receiving: { pendingClaim, claim }, onClose }: RefundActionsProps) {
  const { t } = useTranslation(['refund', 'common']);
  const { format } = useCurrency();
  const receiveButton = refund?.unfinished ? (
    <Button
      variant="primary"
      busy={pendingClaim && t('finishing')}
      aria-describedby={REASON_ID}
      onClick={() => claim('GET /api/refund/addWallet')}
    >
      {t('finish')}
    </Button>
  ) : (
    refund?.result && (
      <Button
        variant="primary"
        busy={pendingClaim && t('receiving')}
        disabled={refund.bonus}
        aria-describedby={refund.bonus ? REASON_ID : undefined}
        onClick={() => claim('GET /api/refund/receive')}
      >
        {t('receive', { amount: format(refund.refundAmount) })}
      </Button>
    )
  );
  return (
    <>
      {receiveButton}
      <Button variant="quiet" onClick={onClose}>
        {t('common:close')}
      </Button>
    </>
  );
}

function OfferSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid gap-5">
      <Skeleton className="h-12 w-full" />
      <Skeleton className="h-32 w-full rounded-lg" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}

const ROW_CLASS = 'flex items-center justify-between gap-3 border-b border-line py-2.5 last:border-b-0';

/** List of earlier refunds, ten per page. */
export function RefundLog() {
  const { t } = useTranslation('refund');
  const { currency } = useCurrency();
  const refundsList = usePaged('POST /api/refund', { quiet: true });
  return (
    <PagedSection
      title={t('log')}
      empty={t('logEmpty')}
      list={refundsList}
      headClass="block"
      columns={
        <tr className={`${ROW_CLASS} text-muted`}>
          <th className="font-medium">{t('receivedAt')}</th>
          <th className="font-medium">{t('amount')}</th>
        </tr>
      }
      rows={refundsList.data?.refunds.map(({ createdAt, refundAmount }) => (
        <tr key={createdAt} className={ROW_CLASS}>
          <td className="text-muted tabular-nums">{formatDateTime(createdAt)}</td>
          <td className="font-semibold text-jade">
            <Amount value={refundAmount} currency={currency} withSign />
          </td>
        </tr>
      ))}
    />
  );
}
