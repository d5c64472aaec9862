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
  /** How many digits the code has. */
  digits?: number;
  /** Called once with the whole code, when its last digit is in. */
  onComplete?: (digits: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
};

const formatOf = (digits: number): InputFormat => ({
  keep: (typed) => digitsOf(typed).slice(0, digits),
  show: (kept) => kept,
  plain: (kept) => kept,
  separator: ' ',
});

/** A one-time code in digits of any script: one field, so that the phone can fill it in and paste works. */
export function CodeInput({ label, value, onChange, digits = 6, onComplete, hint, error, ...rest }: CodeInputProps) {
  const code = useFormattedInput(value, formatOf(digits), (next) => {
    onChange(next);
    if (next.length === digits) onComplete?.(next);
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
          {...code.input}
          className={`${inputClass} amount text-center text-2xl font-semibold tracking-[0.4em] [text-indent:0.4em]`}
        />
      )}
    </Field>
  );
}
