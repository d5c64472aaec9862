import { useTranslation } from 'react-i18next';

/** Shown below a select whose options failed to load: the reason, and a retry button. */
export function ChoicesFailed({ reason, onRetry }: { reason: string; onRetry: () => void }) {
  const { t } = useTranslation('common');
  return (
    <span role="alert" className="text-coral">
      {reason}{' '}
      <button type="button" onClick={onRetry} className="min-h-11 font-semibold underline underline-offset-4">
        {t('retry')}
      </button>
    </span>
  );
}
