import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../../api/failure.ts';
import { failureText } from '../../../shared/errors/failure-text.ts';
import { apiQuery } from '../../../api/query.ts';
import { EmptyState } from '../../../ui/state/empty-state.tsx';
import { ErrorState } from '../../../ui/state/error-state.tsx';
import { SafeHtml } from '../../../ui/text/safe-html.tsx';
import { Spinner } from '../../../ui/state/spinner.tsx';
import { BonusNotice } from '../bonus-notice.tsx';
import { ReceiveModal } from '../receive/receive-modal.tsx';
import { Terms } from '../terms.tsx';

export type PromotionModalProps = {
  /** As it was typed, in upper case. */
  code: string;
  onDeposit: () => void;
  onClose: () => void;
};

/** What a code gives: searched for, found or not. */
export function PromotionModal({ code, onDeposit, onClose }: PromotionModalProps) {
  const { t } = useTranslation('bonus');
  // Each question counts as a guess: it is asked once, and again only by hand.
  const query = useQuery({
    ...apiQuery('GET /api/promotion/find/{code}', { params: { code }, quiet: true }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { data, error } = query;
  return (
    <ReceiveModal
      title={data?.name ?? t('promotion.title', { code })}
      offer={{ kind: 'promotion', code: data?.code ?? code }}
      canReceive={data !== undefined}
      onDeposit={onDeposit}
      onClose={onClose}
    >
      <div role="status" className="empty:absolute">
        {query.isPending && (
          <p className="flex items-center justify-center gap-3 py-10 text-muted">
            <Spinner className="size-6" />
            {t('promotion.searching')}
          </p>
        )}
        {!data && isNotFound(error) && (
          <EmptyState title={t('promotion.notFound', { code })} text={t('promotion.notFoundHint')} />
        )}
      </div>
      {!data && error && !isNotFound(error) && (
        <ErrorState
          title={t('promotion.failed')}
          reason={failureText(error)}
          money={false}
          onRetry={() => void query.refetch()}
        />
      )}
      {data && (
        <>
          {data.description && <SafeHtml html={data.description} />}
          <Terms offer={data} />
          <BonusNotice percentFail={data.percentFail} />
        </>
      )}
    </ReceiveModal>
  );
}

const isNotFound = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'NO_PROMOTION';
