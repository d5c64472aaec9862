import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { Field, inputClass } from '../../ui/form/field.tsx';
import { ChevronDownIcon } from '../../ui/icons/shell-icons.tsx';
import type { Account } from './accounts.ts';

export type AccountSelectProps = {
  label: string;
  accounts: readonly Account[];
  /** Code of the chosen account, or ''. */
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
};

/**
 * A choice of account by the platform's own list. What is chosen stands over it in two lines, the name whole and the
 * amount below: one line would be cut on a narrow phone, and the amount's unit first.
 */
export function AccountSelect({ label, accounts, value, onChange, error }: AccountSelectProps) {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  const chosen = accounts.find(({ code }) => code === value);
  return (
    <Field label={label} error={error}>
      {(input) => (
        <div className="relative">
          <div
            aria-hidden="true"
            data-invalid={error ? true : undefined}
            className={`${inputClass} flex min-h-[4.25rem] flex-col justify-center pr-12 narrow:pr-8 data-invalid:border-coral`}
          >
            {chosen ? (
              <>
                <span className="leading-normal font-semibold">{chosen.name}</span>
                <span className="amount text-sm text-muted narrow:text-xs">{money.text(chosen.amount)}</span>
              </>
            ) : (
              <span className="text-faint">{t('choose')}</span>
            )}
          </div>
          <ChevronDownIcon className="pointer-events-none absolute top-[1.375rem] right-3 size-6 text-faint" />
          <select
            {...input}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={`${inputClass} peer absolute inset-0 h-full appearance-none opacity-0`}
          >
            <option value="">{t('choose')}</option>
            {accounts.map(({ code, name, amount }) => (
              <option key={code} value={code}>
                {t('option', { name, amount: money.text(amount) })}
              </option>
            ))}
          </select>
          <span className="pointer-events-none absolute inset-0 rounded-md outline-offset-0 outline-gold peer-focus-visible:outline-2" />
        </div>
      )}
    </Field>
  );
}
