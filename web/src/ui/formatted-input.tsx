import { digitsOf } from '@krapao/contract/text/digits';
import { useLayoutEffect, useRef, useState, type ChangeEvent, type CompositionEvent } from 'react';
import { groupedAccountNumber } from '../format/text.ts';
import { TextInput, type TextInputProps } from './core/text-input.tsx';
import { editFormatted, type InputFormat } from './edit-formatted.ts';

/**
 * State of an input that formats its text while typing and preserves the caret. Formatting pauses during composition by
 * an input method. The value does not: an Enter during composition submits the form.
 * @param value form value, as returned by `format.toValue`
 */
export function useFormattedInput(value: string, format: InputFormat, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [typedText, setTypedText] = useState(value);
  const [composition, setComposition] = useState<{ text: string; draftBefore: string }>();
  const [caret, setCaret] = useState<{ at: number }>();
  // If the form has set another value, that value replaces the typed text.
  const draft = format.toValue(typedText) === value ? typedText : value;
  const displayed = format.toDisplay(draft);
  useLayoutEffect(() => {
    const field = ref.current;
    if (caret && field && document.activeElement === field) field.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const applyEdit = (field: HTMLInputElement, inputType: string): void => {
    setComposition(undefined);
    const draftBefore = composition?.draftBefore ?? draft;
    const caretPosition = field.selectionStart ?? field.value.length;
    const edited = editFormatted(format, draftBefore, field.value, caretPosition, inputType);
    setTypedText(edited.draft);
    setCaret({ at: edited.caret });
    const newValue = format.toValue(edited.draft);
    if (newValue !== value) onChange(newValue);
  };
  const onFieldChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    const isInputEvent = nativeEvent instanceof InputEvent;
    if (!isInputEvent || !nativeEvent.isComposing) return applyEdit(target, isInputEvent ? nativeEvent.inputType : '');
    setComposition({ text: target.value, draftBefore: composition?.draftBefore ?? draft });
    const newValue = format.toValue(format.toDraft(target.value));
    if (newValue !== value) onChange(newValue);
  };
  return {
    displayedText: composition?.text ?? displayed,
    input: {
      ref,
      value: composition?.text ?? displayed,
      onChange: onFieldChange,
      onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => applyEdit(currentTarget, ''),
      // On blur the formatted text replaces the typed text.
      onBlur: () => {
        setComposition(undefined);
        setTypedText(value);
      },
    },
  };
}

export type AccountNumberInputProps = Omit<TextInputProps, 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'ref'> & {
  /** Digits without separators. */
  value: string;
  onChange: (digits: string) => void;
};

const ACCOUNT_NUMBER_FORMAT: InputFormat = {
  toDraft: digitsOf,
  toDisplay: groupedAccountNumber,
  toValue: (digits) => digits,
  separator: '-',
};

/** Bank account number field: accepts digits of any script and groups them while typing. */
export function AccountNumberInput({ value, onChange, ...rest }: AccountNumberInputProps) {
  const { input } = useFormattedInput(value, ACCOUNT_NUMBER_FORMAT, onChange);
  return <TextInput autoComplete="off" data-secret="" {...rest} {...input} inputMode="numeric" />;
}
