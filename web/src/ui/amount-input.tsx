import type { Currency } from '@krapao/contract/money';
import { type AmountField, parseTypedAmount } from '@krapao/contract/text/typed-amount';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format/number.ts';
import { formatTyped, groupedAmount, significantAmount, plainAmount, readAmount } from '../format/typed-amount.ts';
import { Field, inputClass } from './core/field.tsx';
import type { InputAttributes } from './core/text-input.tsx';
import type { InputFormat } from './edit-formatted.ts';
import { useFormattedInput } from './formatted-input.tsx';

export type AmountInputProps = Omit<InputAttributes, 'type' | 'inputMode' | 'value' | 'onChange' | 'ref'> & {
  label: string;
  /** Typed amount without separators, or an invalid text. Parse the value with `readAmount`. */
  value: string;
  onChange: (value: string) => void;
  /** Currency sign or name, shown at the end of the field. */
  unit: string;
  /** Maximum number of decimals; 0 for a currency without decimals. */
  decimals?: 0 | 2;
  /** Amounts offered as buttons below the field. */
  quickAmounts?: readonly number[] | undefined;
  /** Button inside the field for the whole balance. `onPress` replaces setting the displayed amount. */
  allButton?: { label: string; amount: number; onPress?: () => void } | undefined;
  hint?: ReactNode;
  error?: string | undefined;
};

/** Round amounts by currency, ascending. */
const ROUND_AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [50, 100, 500, 1_000, 5_000],
  LAK: [10_000, 50_000, 100_000, 500_000, 1_000_000],
};
/** Fits one row of buttons. */
const QUICK_AMOUNTS_MAX = 3;

/** The first round amounts within the limits; undefined if there are none. */
export function quickAmountsWithin(
  currency: Currency,
  { minimum = 0, maximum }: { minimum?: number; maximum: number },
): readonly number[] | undefined {
  const amounts = ROUND_AMOUNTS[currency].filter((amount) => amount >= minimum && amount <= maximum);
  return amounts.length > 0 ? amounts.slice(0, QUICK_AMOUNTS_MAX) : undefined;
}

const amountFormatOf = (field: AmountField): InputFormat => ({
  toDraft: (typed) => significantAmount(typed, field),
  toDisplay: (draft) => groupedAmount(draft, field),
  toValue: (draft) => plainAmount(draft, field),
  separator: ',',
});

/** Translated reason why a typed text is not an amount; undefined for a valid amount and an empty field. */
function useAmountErrorText(typed: string, field: AmountField): string | undefined {
  const { t } = useTranslation('common');
  const parsed = parseTypedAmount(typed, field);
  return parsed.kind === 'refused' ? t(`amountFault.${parsed.reason}`) : undefined;
}

/**
 * Font size class by text length, so that long amounts fit narrow phones. At least 16 px: phones zoom into smaller
 * inputs.
 */
const textSizeOf = (displayed: string): string =>
  displayed.length > 11 ? 'text-base' : displayed.length > 8 ? 'text-lg' : 'text-xl';

/** Amount field with numeric keypad, digit grouping while typing, error texts and quick amounts. */
export function AmountInput({
  label,
  value,
  onChange,
  unit,
  decimals = 2,
  quickAmounts,
  allButton,
  hint,
  error,
  ...rest
}: AmountInputProps) {
  const { t } = useTranslation('common');
  const field: AmountField = { unit, decimals };
  const formatted = useFormattedInput(value, amountFormatOf(field), onChange);
  const amountError = useAmountErrorText(value, field);
  return (
    <div>
      <Field label={label} hint={hint} error={amountError ?? error}>
        {(input) => (
          <div className="relative">
            {allButton && (
              <button
                type="button"
                disabled={rest.disabled || allButton.amount <= 0}
                onClick={() =>
                  allButton.onPress
                    ? allButton.onPress()
                    : onChange(formatTyped(decimals === 0 ? Math.trunc(allButton.amount) : allButton.amount))
                }
                className="absolute inset-y-0.5 left-0.5 min-w-16 rounded-[calc(var(--radius-md)-2px)] bg-raised px-3.5 text-sm font-semibold text-gold-lit transition-colors enabled:hover:bg-line disabled:opacity-45"
              >
                {allButton.label}
              </button>
            )}
            <input
              placeholder={decimals === 0 ? '0' : '0.00'}
              autoComplete="off"
              data-amount=""
              {...rest}
              {...input}
              type="text"
              inputMode={decimals === 0 ? 'numeric' : 'decimal'}
              {...formatted.input}
              className={`${inputClass} amount pr-11 text-right font-semibold ${textSizeOf(formatted.displayedText)} ${allButton ? 'pl-24' : ''}`}
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
