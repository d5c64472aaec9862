import { digitsOf } from '@krapao/contract/text/digits';
import type { ReactNode } from 'react';
import type { InputFormat } from './edit-formatted.ts';
import { Field, inputClass } from './core/field.tsx';
import type { InputAttributes } from './core/text-input.tsx';
import { useFormattedInput } from './formatted-input.tsx';

export type CodeInputProps = Omit<
  InputAttributes,
  'type' | 'inputMode' | 'value' | 'onChange' | 'maxLength' | 'ref'
> & {
  label: string;
  value: string;
  onChange: (digits: string) => void;
  /** Number of digits of the code. */
  digits?: number;
  /** Called once when the last digit is typed, with the complete code. */
  onComplete?: (digits: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
};

const codeFormatOf = (digits: number): InputFormat => ({
  toDraft: (typed) => digitsOf(typed).slice(0, digits),
  toDisplay: (draft) => draft,
  toValue: (draft) => draft,
  separator: ' ',
});

/** One-time code in digits of any script. A single field, so that autofill and pasting work. */
export function CodeInput({ label, value, onChange, digits = 6, onComplete, hint, error, ...rest }: CodeInputProps) {
  const formatted = useFormattedInput(value, codeFormatOf(digits), (newDigits) => {
    onChange(newDigits);
    if (newDigits.length === digits) onComplete?.(newDigits);
  });
  return (
    <Field label={label} hint={hint} error={error}>
      {(input) => (
        <input
          {...rest}
          {...input}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder={'•'.repeat(digits)}
          {...formatted.input}
          className={`${inputClass} amount text-center text-2xl font-semibold tracking-[0.4em] [text-indent:0.4em]`}
        />
      )}
    </Field>
  );
}
