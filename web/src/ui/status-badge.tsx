import { useTranslation } from 'react-i18next';
import { CheckIcon, CloseIcon } from './core/icons.tsx';

const looks = {
  SUCCESS: 'bg-jade-deep text-jade',
  FAILED: 'bg-coral-deep text-coral',
  PROCESSING: 'bg-amber-deep text-amber',
};

/** A status: SUCCESS and FAILED are final, any other is pending. */
export function StatusBadge({ status }: { status: string }) {
  const { t } = useTranslation('parts');
  const known = status === 'SUCCESS' || status === 'FAILED' ? status : 'PROCESSING';
  return (
    <span
      data-status={known}
      className={`inline-flex items-center gap-1 rounded-full px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${looks[known]}`}
    >
      {known === 'SUCCESS' && <CheckIcon className="size-3.5" />}
      {known === 'FAILED' && <CloseIcon className="size-3.5" />}
      {known === 'PROCESSING' && <span className="size-2 rounded-full bg-amber" />}
      {t(`status.${known}`)}
    </span>
  );
}
