import { readOneTimeCode } from '@krapao/contract/text/one-time-code';
import { useRef, type ClipboardEvent, type ReactNode } from 'react';
import { Field, inputClass } from './core/field.tsx';
import type { InputAttributes } from './core/text-input.tsx';
import type { InputFormat } from './edit-formatted.ts';
import { useFormattedInput } from './formatted-input.tsx';

export type CodeInputProps = Omit<
  InputAttributes,
  'type' | 'inputMode' | 'value' | 'onChange' | 'onPaste' | 'maxLength' | 'ref'
> & {
  label: string;
  value: string;
  onChange: (digits: string) => void;
  /** Called once when the last digit is typed or a code is pasted, with the complete code. */
  onComplete?: (digits: string) => void;
  /** Called when a pasted text contains no code, or several. */
  onUnclear?: () => void;
  hint?: ReactNode;
  error?: string | undefined;
};

export const CODE_DIGITS = 6;

/** One more digit than a code was typed into a full field: the first ones stay. */
const withoutExtraDigit = (typed: string): string => (/^\d{7}$/.test(typed) ? typed.slice(0, CODE_DIGITS) : '');

function codeDraft(typed: string): string {
  const read = readOneTimeCode(typed);
  return read.kind === 'unclear' ? withoutExtraDigit(typed) : read.digits;
}

const isUnclear = (typed: string): boolean =>
  typed !== '' && readOneTimeCode(typed).kind === 'unclear' && codeDraft(typed) === '';

const CODE_FORMAT: InputFormat = {
  toDraft: codeDraft,
  toDisplay: (draft) => draft,
  toValue: (draft) => draft,
  separator: ' ',
};

/**
 * One-time code in digits of any script, typed or pasted with its message. A single field, so that autofill and pasting
 * work.
 */
export function CodeInput({ label, value, onChange, onComplete, onUnclear, hint, error, ...rest }: CodeInputProps) {
  const fieldText = useRef('');
  const { input } = useFormattedInput(value, CODE_FORMAT, (digits) => {
    onChange(digits);
    if (readOneTimeCode(fieldText.current).kind === 'code') onComplete?.(digits);
  });
  // The pasted text replaces what was typed before, which could be read as a part of it.
  const onPaste = (event: ClipboardEvent): void => {
    const read = readOneTimeCode(event.clipboardData.getData('text'));
    if (read.kind === 'partial') return;
    event.preventDefault();
    if (read.kind === 'unclear') return onUnclear?.();
    onChange(read.digits);
    onComplete?.(read.digits);
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {(fieldInput) => (
        <input
          {...rest}
          {...fieldInput}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder={'•'.repeat(CODE_DIGITS)}
          {...input}
          onChange={(event) => {
            fieldText.current = event.target.value;
            input.onChange(event);
            const isComposing = event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing;
            if (!isComposing && isUnclear(fieldText.current)) onUnclear?.();
          }}
          onCompositionEnd={(event) => {
            fieldText.current = event.currentTarget.value;
            input.onCompositionEnd(event);
          }}
          onPaste={onPaste}
          className={`${inputClass} amount text-center text-2xl font-semibold tracking-[0.4em] [text-indent:0.4em]`}
        />
      )}
    </Field>
  );
}
