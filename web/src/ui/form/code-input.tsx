import type { ReactNode } from 'react';
import { Field, inputClass } from './field.tsx';
import type { InputAttributes } from './text-input.tsx';

export type CodeInputProps = Omit<InputAttributes, 'type' | 'inputMode' | 'value' | 'onChange' | 'maxLength'> & {
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

/** A one-time code: one field, so that the phone can fill it in and paste works. */
export function CodeInput({ label, value, onChange, digits = 6, onComplete, hint, error, ...rest }: CodeInputProps) {
  const change = (typed: string): void => {
    const next = typed.replace(/\D/g, '').slice(0, digits);
    onChange(next);
    if (next.length === digits && next !== value) onComplete?.(next);
  };
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
          value={value}
          onChange={(event) => change(event.target.value)}
          className={`${inputClass} amount text-center text-2xl font-semibold tracking-[0.4em] [text-indent:0.4em]`}
        />
      )}
    </Field>
  );
}
