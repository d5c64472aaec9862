import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, inputClass } from './field.tsx';
import { IconButton } from './icon-button.tsx';
import { EyeIcon, EyeOffIcon } from './icons.tsx';
import type { InputAttributes } from './text-input.tsx';

export type PasswordInputProps = Omit<InputAttributes, 'type' | 'autoComplete'> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  leadIcon?: ReactNode;
  /** Hint for password managers. */
  autoComplete: 'current-password' | 'new-password';
};

/** Password field with a button that reveals the password. */
export function PasswordInput({ label, hint, error, leadIcon, ...rest }: PasswordInputProps) {
  const { t } = useTranslation('common');
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(input) => (
        <div className="relative">
          {leadIcon && (
            <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-faint">
              {leadIcon}
            </span>
          )}
          <input
            autoCapitalize="none"
            spellCheck={false}
            {...rest}
            {...input}
            type={isShown ? 'text' : 'password'}
            className={`${inputClass} pr-12 ${leadIcon ? 'pl-12' : ''}`}
          />
          <span className="absolute inset-y-0 right-0.5 flex items-center">
            <IconButton label={t(isShown ? 'hidePassword' : 'showPassword')} onClick={() => setShown(!isShown)}>
              {isShown ? <EyeOffIcon /> : <EyeIcon />}
            </IconButton>
          </span>
        </div>
      )}
    </Field>
  );
}
