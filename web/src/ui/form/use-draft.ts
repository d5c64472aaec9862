import { type ChangeEvent, type CompositionEvent, useLayoutEffect, useRef, useState } from 'react';

/**
 * Reports normalised text to a form. The field shows the typed text while an input method composes, or when rewriting would
 * move the caret; it is rewritten on blur.
 * @param value the form's value, normalised
 */
export function useDraft(value: string, normalise: (typed: string) => string, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string>();
  const [caret, setCaret] = useState<{ at: number }>();
  useLayoutEffect(() => {
    if (caret && document.activeElement === ref.current) ref.current?.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const read = (field: HTMLInputElement, isComposing: boolean): void => {
    const typed = field.value;
    const normal = normalise(typed);
    const at = field.selectionStart ?? typed.length;
    const keepsCaret = normal.length === typed.length || at === typed.length;
    setDraft(isComposing || !keepsCaret ? typed : undefined);
    if (!isComposing && normal.length === typed.length) setCaret({ at });
    if (normal !== value) onChange(normal);
  };
  return {
    ref,
    value: draft !== undefined && normalise(draft) === value ? draft : value,
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) =>
      read(target, nativeEvent instanceof InputEvent && nativeEvent.isComposing),
    onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => read(currentTarget, false),
    onBlur: (): void => setDraft(undefined),
  };
}
