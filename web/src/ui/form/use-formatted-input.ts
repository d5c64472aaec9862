import { useLayoutEffect, useRef, useState, type ChangeEvent, type CompositionEvent } from 'react';
import { editFormatted, type InputFormat } from './edit-formatted.ts';

/**
 * Displays an input in a format while it is typed, and keeps the caret where the person has it. While an input method
 * composes, the text stays as it is.
 * @param value what the form has, as `format.plain` gives it
 */
export function useFormattedInput(value: string, format: InputFormat, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [composed, setComposed] = useState<string>();
  const [caret, setCaret] = useState<{ at: number }>();
  // The form has changed its value: what was typed before is over.
  const kept = format.plain(typed) === value ? typed : value;
  const shown = format.show(kept);
  useLayoutEffect(() => {
    const field = ref.current;
    if (caret && field && document.activeElement === field) field.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const edit = (field: HTMLInputElement, inputType: string): void => {
    setComposed(undefined);
    const next = editFormatted(format, kept, field.value, field.selectionStart ?? field.value.length, inputType);
    setTyped(next.kept);
    setCaret({ at: next.caret });
    const plain = format.plain(next.kept);
    if (plain !== value) onChange(plain);
  };
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return setComposed(target.value);
    edit(target, nativeEvent instanceof InputEvent ? nativeEvent.inputType : '');
  };
  return {
    shown: composed ?? shown,
    input: {
      ref,
      value: composed ?? shown,
      onChange: change,
      onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => edit(currentTarget, ''),
      // Leaving the field ends what was typed: from then on it is the displayed number.
      onBlur: () => {
        setComposed(undefined);
        setTyped(value);
      },
    },
  };
}
