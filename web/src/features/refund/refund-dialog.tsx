import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { withMissing } from '../../shared/incentive/open-condition.ts';
import { apiQuery } from '../../api/query.ts';
import type { Reply } from '../../api/endpoint-types.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { Button } from '../../ui/button.tsx';
import { ConditionProgress } from '../../shared/incentive/condition-progress.tsx';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { SafeHtml } from '../../ui/text/safe-html.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { RefundLog } from './refund-log.tsx';
import { RefundOffer, REASON_ID } from './refund-offer.tsx';
import { useReceiveRefund } from './use-receive-refund.ts';

export type RefundDialogProps = {
  /** `saved`: a refund has been received. */
  onClose: (saved: boolean) => void;
};

/** What comes back of what was lost, what it asks, and what has come back before. */
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

/** A claim that waits for its money comes first: until then there is nothing else to receive. */
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
