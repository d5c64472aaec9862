import { plainDigits } from '@krapao/contract/text/digits';
import { TextInput, type TextInputProps } from './text-input.tsx';
import { useDraft } from './use-draft.ts';

export type CapitalsInputProps = Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'inCapitals' | 'ref'> & {
  /** In capitals. */
  value: string;
  onChange: (value: string) => void;
};

/** Converts to capital letters and ASCII digits. */
export const capitals = (typed: string): string => plainDigits(typed).toUpperCase();

/** A field with a value in capitals, such as a code or an account holder; does not disturb input methods. */
export function CapitalsInput({ value, onChange, ...rest }: CapitalsInputProps) {
  const draft = useDraft(value, capitals, onChange);
  return <TextInput autoCapitalize="characters" autoCorrect="off" spellCheck={false} {...rest} {...draft} inCapitals />;
}
