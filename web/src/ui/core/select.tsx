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
  /** Image of the selected option, in place of the arrow: names keep their room. */
  mark?: ReactNode;
  /** Replaces the phone's own picker on a press; keys and screen readers use the native select. */
  onPress?: () => void;
  ref?: Ref<HTMLSelectElement>;
};

/** A native select, because phones show their own picker for it. */
export function Select({ label, options, placeholder, hint, error, mark, onPress, ...rest }: SelectProps) {
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
          {mark ? (
            <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center">{mark}</span>
          ) : (
            <ChevronDownIcon className="pointer-events-none absolute top-3 right-3 size-6 text-faint" />
          )}
          {onPress && !rest.disabled && (
            <button
              type="button"
              tabIndex={-1}
              aria-hidden="true"
              onClick={onPress}
              className="absolute inset-0 cursor-pointer rounded-md"
            />
          )}
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
