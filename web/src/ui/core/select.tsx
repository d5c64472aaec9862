import type { ReactNode, Ref, SelectHTMLAttributes } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, inputClass } from './field.tsx';
import { ChevronDownIcon } from './icons.tsx';

export type SelectOption = { value: string; label: string; disabled?: boolean };

export type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'className' | 'children'> & {
  label: string;
  options: readonly SelectOption[];
  /** Label of the first option, which has no value; `false` omits that option. */
  placeholder?: string | false;
  hint?: ReactNode;
  error?: string | undefined;
  ref?: Ref<HTMLSelectElement>;
};

/** A native select, because phones show their own picker for it. */
export function Select({ label, options, placeholder, hint, error, ...rest }: SelectProps) {
  const { t } = useTranslation('common');
  return (
    <Field label={label} hint={hint} error={error}>
      {(input) => (
        <div className="relative">
          <select {...rest} {...input} className={`${inputClass} appearance-none pr-12`}>
            {placeholder !== false && <option value="">{placeholder ?? t('choose')}</option>}
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDownIcon className="pointer-events-none absolute top-3 right-3 size-6 text-faint" />
        </div>
      )}
    </Field>
  );
}

/** Shown below a select whose options failed to load: the reason, and a retry button. */
export function ChoicesFailed({ reason, onRetry }: { reason: string; onRetry: () => void }) {
  const { t } = useTranslation('common');
  return (
    <span role="alert" className="text-coral">
      {reason}{' '}
      <button type="button" onClick={onRetry} className="min-h-11 font-semibold underline underline-offset-4">
        {t('retry')}
      </button>
    </span>
  );
}
