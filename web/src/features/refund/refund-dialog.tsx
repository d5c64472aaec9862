import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { withMissing, ConditionProgress } from '../../shared/incentive.tsx';
import { apiQuery, usePaged } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { useMoney } from '../../member/money.ts';
import { Button } from '../../ui/core/button.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { SafeHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { RefundOffer, REASON_ID, useReceiveRefund } from './refund-offer.tsx';
import { formatDateTime } from '../../format/date.ts';
import { Amount } from '../../ui/amount.tsx';
import { PagedSection } from '../../ui/paged-section.tsx';

export type RefundDialogProps = {
  /** `saved`: a refund was received. */
  onClose: (saved: boolean) => void;
};

/** The refund of losses: its amount, its conditions, and earlier ones. */
export function RefundDialog({ onClose }: RefundDialogProps) {
  const { t } = useTranslation('refund');
  const { currency } = useMoney();
  const { data, isError, refetch } = useQuery(apiQuery('GET /api/refund/check', { quiet: true }));
  const receiving = useReceiveRefund();
  const close = (): void => onClose(receiving.isSaved);
  return (
    <Modal
      open
      onClose={close}
      title={t('title')}
      footer={<Actions refund={data} receiving={receiving} onClose={close} />}
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

type ActionsProps = {
  refund: Reply<'GET /api/refund/check'> | undefined;
  receiving: ReturnType<typeof useReceiveRefund>;
  onClose: () => void;
};

/** A claim with a pending credit comes first: until it ends nothing else can be received. */
function Actions({ refund, receiving: { underWay, claim }, onClose }: ActionsProps) {
  const { t } = useTranslation(['refund', 'common']);
  const { text } = useMoney();
  const receive = refund?.unfinished ? (
    <Button
      variant="gold"
      busy={underWay && t('finishing')}
      aria-describedby={REASON_ID}
      onClick={() => claim('GET /api/refund/addWallet')}
    >
      {t('finish')}
    </Button>
  ) : (
    refund?.result && (
      <Button
        variant="gold"
        busy={underWay && t('receiving')}
        disabled={refund.bonus}
        aria-describedby={refund.bonus ? REASON_ID : undefined}
        onClick={() => claim('GET /api/refund/receive')}
      >
        {t('receive', { amount: text(refund.refundAmount) })}
      </Button>
    )
  );
  return (
    <>
      {receive}
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

const ROW = 'flex items-center justify-between gap-3 border-b border-line py-2.5 last:border-b-0';

/** Earlier refunds, ten per page. */
export function RefundLog() {
  const { t } = useTranslation('refund');
  const { currency } = useMoney();
  const list = usePaged('POST /api/refund', { quiet: true });
  return (
    <PagedSection
      title={t('log')}
      empty={t('logEmpty')}
      list={list}
      head="block"
      columns={
        <tr className={`${ROW} text-muted`}>
          <th className="font-medium">{t('receivedAt')}</th>
          <th className="font-medium">{t('amount')}</th>
        </tr>
      }
      rows={list.data?.refunds.map(({ createdAt, refundAmount }) => (
        <tr key={createdAt} className={ROW}>
          <td className="text-muted tabular-nums">{formatDateTime(createdAt)}</td>
          <td className="font-semibold text-jade">
            <Amount value={refundAmount} currency={currency} withSign />
          </td>
        </tr>
      ))}
    />
  );
}
