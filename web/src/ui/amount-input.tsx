import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format/number.ts';
import {
  type AmountField,
  formatTyped,
  groupedAmount,
  significantAmount,
  parseTypedAmount,
  plainAmount,
  readAmount,
} from '../format/typed-amount.ts';
import type { InputFormat } from './edit-formatted.ts';
import { Field, inputClass } from './core/field.tsx';
import type { InputAttributes } from './core/text-input.tsx';
import { useFormattedInput } from './formatted-input.tsx';

export type AmountInputProps = Omit<InputAttributes, 'type' | 'inputMode' | 'value' | 'onChange' | 'ref'> & {
  label: string;
  /** Typed amount without separators, or refused text. Parse it with `readAmount`. */
  value: string;
  onChange: (value: string) => void;
  /** Sign or name of the currency, at the end of the field. */
  unit: string;
  /** How many decimals can be typed; 0 for a currency that has none. */
  decimals?: 0 | 2;
  /** Amounts to set with one press. */
  quickAmounts?: readonly number[];
  /** Button for the whole balance inside the field; `onPress` if that differs from the displayed amount. */
  all?: { label: string; amount: number; onPress?: () => void } | undefined;
  hint?: ReactNode;
  error?: string | undefined;
};

const amountFormat = (field: AmountField): InputFormat => ({
  keep: (typed) => significantAmount(typed, field),
  show: (kept) => groupedAmount(kept, field),
  plain: (kept) => plainAmount(kept, field),
  separator: ',',
});

/** Localised reason why a text is not an amount; undefined for an amount and an empty field. */
function useAmountFault(typed: string, field: AmountField): string | undefined {
  const { t } = useTranslation('common');
  const parsed = parseTypedAmount(typed, field);
  return parsed.kind === 'refused' ? t(`amountFault.${parsed.reason}`) : undefined;
}

/** Smaller text for long amounts on narrow phones; at least 16 px, below which phones zoom in. */
const sizeOf = (shown: string): string => (shown.length > 11 ? 'text-base' : shown.length > 8 ? 'text-lg' : 'text-xl');

/** An amount field: numeric keypad, grouped while typing, error texts, and quick amounts. */
export function AmountInput({
  label,
  value,
  onChange,
  unit,
  decimals = 2,
  quickAmounts,
  all,
  hint,
  error,
  ...rest
}: AmountInputProps) {
  const { t } = useTranslation('common');
  const field: AmountField = { unit, decimals };
  const grouped = useFormattedInput(value, amountFormat(field), onChange);
  const fault = useAmountFault(value, field);
  return (
    <div>
      <Field label={label} hint={hint} error={fault ?? error}>
        {(input) => (
          <div className="relative">
            {all && (
              <button
                type="button"
                disabled={rest.disabled || all.amount <= 0}
                onClick={() =>
                  all.onPress
                    ? all.onPress()
                    : onChange(formatTyped(decimals === 0 ? Math.trunc(all.amount) : all.amount))
                }
                className="absolute inset-y-0.5 left-0.5 min-w-16 rounded-[calc(var(--radius-md)-2px)] bg-raised px-3.5 text-sm font-semibold text-gold-lit transition-colors enabled:hover:bg-line disabled:opacity-45"
              >
                {all.label}
              </button>
            )}
            <input
              placeholder={decimals === 0 ? '0' : '0.00'}
              autoComplete="off"
              {...rest}
              {...input}
              type="text"
              inputMode={decimals === 0 ? 'numeric' : 'decimal'}
              {...grouped.input}
              className={`${inputClass} amount pr-11 text-right font-semibold ${sizeOf(grouped.shown)} ${all ? 'pl-24' : ''}`}
            />
            <span className="pointer-events-none absolute inset-y-0 right-4 flex items-center text-sm text-faint">
              {unit}
            </span>
          </div>
        )}
      </Field>
      {quickAmounts && (
        <fieldset aria-label={t('quickAmounts')} className="min-w-0 mt-1 grid grid-cols-3 gap-2">
          {quickAmounts.map((amount) => (
            <button
              key={amount}
              type="button"
              disabled={rest.disabled}
              aria-pressed={readAmount(value, field) === amount}
              onClick={() => onChange(String(amount))}
              className="amount min-h-11 rounded-md bg-raised font-semibold text-ivory ring-1 ring-edge/50 transition-colors ring-inset hover:bg-line aria-pressed:bg-gold aria-pressed:text-well"
            >
              {formatNumber(amount, 0)}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
