import { type ChangeEvent, type CompositionEvent, useLayoutEffect, useRef, useState } from 'react';
import { plainDigits } from '@krapao/contract/text/digits';
import { TextInput, type TextInputProps } from './text-input.tsx';
import { plainPhone } from '@krapao/contract/rules';
import { PhoneIcon } from './icons.tsx';

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

export type CapitalsInputProps = Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'inCapitals' | 'ref'> & {
  /** In capitals. */
  value: string;
  onChange: (value: string) => void;
};

/** Converts to capital letters and ASCII digits. */
export const capitals = (typed: string): string => plainDigits(typed).toUpperCase();

/** A field with a value in capitals, such as a code or an account holder; does not disturb input methods. */
export function CapitalsInput({ value, onChange, ...rest }: CapitalsInputProps) {
  const draft = useDraft(value, capitals, onChange);
  return <TextInput autoCapitalize="characters" autoCorrect="off" spellCheck={false} {...rest} {...draft} inCapitals />;
}

export type PhoneInputProps = Omit<
  TextInputProps,
  'type' | 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'lead' | 'ref'
> & {
  /** In the form of `plainPhone`. */
  value: string;
  onChange: (phone: string) => void;
};

/** A phone number field with a `plainPhone` value; shows the typed draft while the caret is inside it. */
export function PhoneInput({ value, onChange, ...rest }: PhoneInputProps) {
  const draft = useDraft(value, plainPhone, onChange);
  return <TextInput {...rest} {...draft} type="tel" inputMode="tel" lead={<PhoneIcon />} />;
}
