import { plainPhone } from '@krapao/contract/rules';
import { PhoneIcon } from '../../ui/icons/shell-icons.tsx';
import { TextInput, type TextInputProps } from '../../ui/form/text-input.tsx';
import { useDraft } from '../../ui/form/use-draft.ts';

export type PhoneInputProps = Omit<
  TextInputProps,
  'type' | 'inputMode' | 'value' | 'onChange' | 'onBlur' | 'lead' | 'ref'
> & {
  /** In the form of `plainPhone`. */
  value: string;
  onChange: (phone: string) => void;
};

/** A phone number field with a `plainPhone` value; shows the typed draft while the caret is inside it. */
export function PhoneInput({ value, onChange, ...rest }: PhoneInputProps) {
  const draft = useDraft(value, plainPhone, onChange);
  return <TextInput {...rest} {...draft} type="tel" inputMode="tel" lead={<PhoneIcon />} />;
}
