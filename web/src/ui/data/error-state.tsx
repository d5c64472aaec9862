import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../core/button.tsx';
import { WarningIcon } from '../core/icons.tsx';

export type ErrorStateProps = {
  /** What failed to load; a general text by default. */
  title?: string;
  /** Reason reported by the server. */
  reason?: ReactNode;
  /** Note about the member's money; `false` where no money is involved. */
  money?: string | false;
  onRetry?: () => void;
};

/** State of a failed load: the failure, a note about the money, and a retry button. */
export function ErrorState({ title, reason, money, onRetry }: ErrorStateProps) {
  const { t } = useTranslation('common');
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-4 py-8 text-center">
      <span className="flex size-14 items-center justify-center rounded-full bg-coral-deep text-coral ring-1 ring-coral/50">
        <WarningIcon className="size-7" />
      </span>
      <p className="text-base font-semibold text-balance">{title ?? t('errorState.title')}</p>
      {reason && <p className="max-w-sm text-sm text-balance text-muted">{reason}</p>}
      {money !== false && <p className="max-w-sm text-sm text-balance text-jade">{money ?? t('errorState.money')}</p>}
      {onRetry && (
        <Button variant="quiet" size="sm" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}
