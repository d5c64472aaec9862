import { digitsOf } from '@krapao/contract/text/digits';
import { groupedAccountNumber } from '../../format/account-number.ts';
import type { InputFormat } from './edit-formatted.ts';
import { TextInput, type TextInputProps } from './text-input.tsx';
import { useFormattedInput } from './use-formatted-input.ts';

export type AccountNumberInputProps = Omit<TextInputProps, 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'ref'> & {
  /** Digits alone. */
  value: string;
  onChange: (digits: string) => void;
};

const FORMAT: InputFormat = {
  keep: digitsOf,
  show: groupedAccountNumber,
  plain: (digits) => digits,
  separator: '-',
};

/** A bank account number: accepts digits of any script, grouped while typing. */
export function AccountNumberInput({ value, onChange, ...rest }: AccountNumberInputProps) {
  const { input } = useFormattedInput(value, FORMAT, onChange);
  return <TextInput autoComplete="off" {...rest} {...input} inputMode="numeric" />;
}
