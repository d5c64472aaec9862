import { CheckIcon, WarningIcon } from '../../../ui/icons/shell-icons.tsx';

/** One thing that was checked. */
export function Proof({ isTrue, yes, no }: { isTrue: boolean; yes: string; no: string }) {
  const Icon = isTrue ? CheckIcon : WarningIcon;
  return (
    <p className={`flex items-start gap-2 text-sm ${isTrue ? 'text-jade' : 'text-coral'}`}>
      <Icon className="mt-0.5 size-5 shrink-0" />
      <span>{isTrue ? yes : no}</span>
    </p>
  );
}
