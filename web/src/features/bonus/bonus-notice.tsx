import { useOperatorNotice } from '../../shared/lookup/use-operator-notice.ts';
import { InfoIcon } from '../../ui/icons/shell-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';

/** The operator's notice with the percentage of this bonus; nothing where it can't be had. */
export function BonusNotice({ percentFail }: { percentFail: number }) {
  const text = useOperatorNotice(percentFail);
  if (text === undefined) return <Skeleton className="h-20 w-full" />;
  if (!text) return null;
  return (
    <p className="flex items-start gap-3 rounded-md bg-raised px-4 py-3 text-sm text-muted">
      <InfoIcon className="mt-0.5 size-5 shrink-0 text-gold" />
      <span className="min-w-0">{text}</span>
    </p>
  );
}
