import { useTranslation } from 'react-i18next';
import { failureText } from '../api/error-text.ts';
import { useOperatorData } from '../api/operator-data.ts';
import { EmptyState } from '../ui/data/empty-state.tsx';
import { ErrorState } from '../ui/data/error-state.tsx';
import { SafeHtml } from '../ui/data/safe-html.tsx';
import { Skeleton } from '../ui/data/skeleton.tsx';
import { Modal } from '../ui/modal.tsx';

export type ConditionsModalProps = { onClose: () => void };

/** Shows the operator's conditions of use. */
export function ConditionsModal({ onClose }: ConditionsModalProps) {
  const { t } = useTranslation('parts');
  return (
    <Modal open onClose={onClose} title={t('conditions.title')} size="lg">
      <ConditionTexts />
    </Modal>
  );
}

function ConditionTexts() {
  const { t } = useTranslation('parts');
  const { data, failure, retry } = useOperatorData('GET /api/lookup/conditions');
  if (failure)
    return <ErrorState title={t('conditions.failed')} reason={failureText(failure)} money={false} onRetry={retry} />;
  if (!data) return <Skeleton className="h-40 w-full" />;
  if (data.length === 0) return <EmptyState title={t('conditions.empty')} />;
  return (
    <ol className="space-y-5">
      {data.map((html, index) => (
        <li key={index}>
          <SafeHtml html={html} />
        </li>
      ))}
    </ol>
  );
}
