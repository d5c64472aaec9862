import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { Field, inputClass } from './field.tsx';

export type InputAttributes = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className' | 'children'> & {
  /** Set by a form library; both controlled and uncontrolled use work. */
  ref?: Ref<HTMLInputElement>;
};

export type TextInputProps = InputAttributes & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Icon at the start of the field. */
  lead?: ReactNode;
  /** Displays letters as capitals; the value is unchanged. */
  inCapitals?: boolean;
};

/** A single-line field. For phone numbers use `type="tel" inputMode="numeric" autoComplete="username"`. */
export function TextInput({ label, hint, error, lead, inCapitals, ...rest }: TextInputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(input) => (
        <div className="relative">
          {lead && (
            <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-faint">{lead}</span>
          )}
          <input
            type="text"
            {...rest}
            {...input}
            className={`${inputClass} ${lead ? 'pl-12' : ''} ${inCapitals ? 'uppercase' : ''}`}
          />
        </div>
      )}
    </Field>
  );
}
