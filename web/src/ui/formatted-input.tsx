import { useLayoutEffect, useRef, useState, type ChangeEvent, type CompositionEvent } from 'react';
import { editFormatted, type InputFormat } from './edit-formatted.ts';
import { digitsOf } from '@krapao/contract/text/digits';
import { groupedAccountNumber } from '../format/text.ts';
import { TextInput, type TextInputProps } from './core/text-input.tsx';

/**
 * Formats an input while typing and preserves the caret. Text is not changed while an input method composes.
 * @param value the form's value, as returned by `format.plain`
 */
export function useFormattedInput(value: string, format: InputFormat, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [composed, setComposed] = useState<string>();
  const [caret, setCaret] = useState<{ at: number }>();
  // The form changed its value: discard the typed text.
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
      // On blur the displayed number replaces the typed text.
      onBlur: () => {
        setComposed(undefined);
        setTyped(value);
      },
    },
  };
}

export type AccountNumberInputProps = Omit<TextInputProps, 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'ref'> & {
  /** Digits alone. */
  value: string;
  onChange: (digits: string) => void;
};

const FORMAT: InputFormat = {
  keep: digitsOf,
  show: groupedAccountNumber,
  plain: (digits) => digits,
  separator: '-',
};

/** A bank account number: accepts digits of any script, grouped while typing. */
export function AccountNumberInput({ value, onChange, ...rest }: AccountNumberInputProps) {
  const { input } = useFormattedInput(value, FORMAT, onChange);
  return <TextInput autoComplete="off" {...rest} {...input} inputMode="numeric" />;
}
