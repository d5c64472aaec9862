import { useTranslation } from 'react-i18next';
import { CheckIcon, CloseIcon } from './core/icons.tsx';

const statusStyles = {
  SUCCESS: 'bg-jade-deep text-jade',
  FAILED: 'bg-coral-deep text-coral',
  PROCESSING: 'bg-amber-deep text-amber',
};

/** Badge of a status. SUCCESS and FAILED are final; any other status is shown as pending. */
export function StatusBadge({ status }: { status: string }) {
  const { t } = useTranslation('parts');
  const displayedStatus = status === 'SUCCESS' || status === 'FAILED' ? status : 'PROCESSING';
  return (
    <span
      data-status={displayedStatus}
      className={`inline-flex items-center gap-1 rounded-full px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${statusStyles[displayedStatus]}`}
    >
      {displayedStatus === 'SUCCESS' && <CheckIcon className="size-3.5" />}
      {displayedStatus === 'FAILED' && <CloseIcon className="size-3.5" />}
      {displayedStatus === 'PROCESSING' && <span className="size-2 rounded-full bg-amber" />}
      {t(`status.${displayedStatus}`)}
    </span>
  );
}
