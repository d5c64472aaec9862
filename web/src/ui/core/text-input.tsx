import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { Field, type FieldProps, inputClass } from './field.tsx';

export type InputAttributes = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className' | 'children'> & {
  /** Ref of a form library. Controlled and uncontrolled use both work. */
  ref?: Ref<HTMLInputElement>;
};

export type TextInputProps = InputAttributes &
  Omit<FieldProps, 'children'> & {
    /** Icon at the start of the field. */
    leadIcon?: ReactNode;
    /** Displays letters as capitals by CSS; the value stays as typed. */
    inCapitals?: boolean;
  };

/** Single-line text field. For phone numbers use `type="tel" inputMode="numeric" autoComplete="username"`. */
export function TextInput({ label, isLabelHidden, hint, error, leadIcon, inCapitals, ...rest }: TextInputProps) {
  return (
    <Field label={label} isLabelHidden={isLabelHidden} hint={hint} error={error}>
      {(input) => (
        <div className="relative">
          {leadIcon && (
            <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-faint">
              {leadIcon}
            </span>
          )}
          <input
            type="text"
            {...rest}
            {...input}
            className={`${inputClass} ${leadIcon ? 'pl-12' : ''} ${inCapitals ? 'uppercase' : ''}`}
          />
        </div>
      )}
    </Field>
  );
}
