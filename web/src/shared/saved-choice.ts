import { useState } from 'react';
import { failureText } from '../api/error-text.ts';
import { invalidateAndWait } from '../api/query/query.ts';
import { toast } from '../ui/core/toast.tsx';

type ChoiceOptions = {
  /** Resolves when the stored choice is current. */
  save: (isOn: boolean) => Promise<unknown>;
  /** Query scope of the stored choice. */
  scope: string;
};

/**
 * Shows a choice immediately while it is saved. After a failure, shows a toast and the stored choice, which is loaded
 * again: without a reply it may have been saved.
 */
export function useSavedChoice(stored: boolean, { save, scope }: ChoiceOptions) {
  const [pending, setPending] = useState<boolean>();
  const isSaving = pending !== undefined;
  const change = async (isOn: boolean): Promise<void> => {
    if (isSaving) return;
    setPending(isOn);
    try {
      await save(isOn);
    } catch (failure) {
      toast.danger(failureText(failure));
      await invalidateAndWait(scope);
    }
    setPending(undefined);
  };
  return { isOn: pending ?? stored, isSaving, change: (isOn: boolean): void => void change(isOn) };
}
