import { plainPhone } from '@krapao/contract/rules';
import { plainDigits } from '@krapao/contract/text/digits';
import { type ChangeEvent, type CompositionEvent, useLayoutEffect, useRef, useState } from 'react';
import { PhoneIcon } from './icons.tsx';
import { TextInput, type TextInputProps } from './text-input.tsx';

/**
 * State of an input whose form value is the normalised text. The field shows the typed text during composition by an
 * input method, or if normalising would move the caret. On blur the field shows the normalised text.
 * @param value normalised form value
 */
export function useDraft(value: string, normalise: (typed: string) => string, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string>();
  const [caret, setCaret] = useState<{ at: number }>();
  useLayoutEffect(() => {
    if (caret && document.activeElement === ref.current) ref.current?.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const readField = (field: HTMLInputElement, isComposing: boolean): void => {
    const typed = field.value;
    const normalised = normalise(typed);
    const caretPosition = field.selectionStart ?? typed.length;
    const keepsCaret = normalised.length === typed.length || caretPosition === typed.length;
    setDraft(isComposing || !keepsCaret ? typed : undefined);
    if (!isComposing && normalised.length === typed.length) setCaret({ at: caretPosition });
    if (normalised !== value) onChange(normalised);
  };
  return {
    ref,
    value: draft !== undefined && normalise(draft) === value ? draft : value,
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) =>
      readField(target, nativeEvent instanceof InputEvent && nativeEvent.isComposing),
    onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => readField(currentTarget, false),
    onBlur: (): void => setDraft(undefined),
  };
}

export type CapitalsInputProps = Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'inCapitals' | 'ref'> & {
  /** Text in capitals. */
  value: string;
  onChange: (value: string) => void;
};

/** Converts to capital letters and ASCII digits. */
export const toCapitals = (typed: string): string => plainDigits(typed).toUpperCase();

/** Text field whose value is in capitals, such as a code or an account holder. Does not disturb input methods. */
export function CapitalsInput({ value, onChange, ...rest }: CapitalsInputProps) {
  const draft = useDraft(value, toCapitals, onChange);
  return <TextInput autoCapitalize="characters" autoCorrect="off" spellCheck={false} {...rest} {...draft} inCapitals />;
}

export type PhoneInputProps = Omit<
  TextInputProps,
  'type' | 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'lead' | 'ref'
> & {
  /** Phone number as normalised by `plainPhone`. */
  value: string;
  onChange: (phone: string) => void;
};

/** Phone number field with a value normalised by `plainPhone`. Shows the typed text while focused. */
export function PhoneInput({ value, onChange, ...rest }: PhoneInputProps) {
  const draft = useDraft(value, plainPhone, onChange);
  return <TextInput {...rest} {...draft} type="tel" inputMode="tel" leadIcon={<PhoneIcon />} />;
}
