import { useState } from 'react';
import { failureText } from '../shell/error-text.ts';
import { toast } from '../ui/core/toast.tsx';

/**
 * Shows a choice immediately while it is saved. After a failure, shows a toast and the stored choice again.
 * @param save resolves when the stored choice is current
 */
export function useSavedChoice(stored: boolean, save: (isOn: boolean) => Promise<unknown>) {
  const [pending, setPending] = useState<boolean>();
  const isSaving = pending !== undefined;
  const change = async (isOn: boolean): Promise<void> => {
    if (isSaving) return;
    setPending(isOn);
    try {
      await save(isOn);
    } catch (failure) {
      toast.danger(failureText(failure));
    }
    setPending(undefined);
  };
  return { isOn: pending ?? stored, isSaving, change: (isOn: boolean): void => void change(isOn) };
}
