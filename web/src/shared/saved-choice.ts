import { useState } from 'react';
import { failureText } from '../shell/error-text.ts';
import { toast } from '../ui/core/toast.tsx';

/**
 * A choice that is shown as soon as it is pressed, while it is saved. A failure is reported, and the stored choice is
 * shown again.
 * @param save resolves when the stored choice is current
 */
export function useSavedChoice(stored: boolean, save: (isOn: boolean) => Promise<unknown>) {
  const [pressed, setPressed] = useState<boolean>();
  const isSaving = pressed !== undefined;
  const change = async (isOn: boolean): Promise<void> => {
    if (isSaving) return;
    setPressed(isOn);
    try {
      await save(isOn);
    } catch (failure) {
      toast.danger(failureText(failure));
    }
    setPressed(undefined);
  };
  return { isOn: pressed ?? stored, isSaving, change: (isOn: boolean): void => void change(isOn) };
}
