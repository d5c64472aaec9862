import { useLayoutEffect, useRef, useState, type ChangeEvent } from 'react';

const SEPARATOR = ',';

/** A clean amount with its thousands set apart: "1234.5" → "1,234.5". */
const groupAmount = (clean: string): string => {
  const [whole = '', ...rest] = clean.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, SEPARATOR), ...rest].join('.');
};

/** Where in a grouped text so many digits (and the point) lie before. */
function placeAfter(grouped: string, count: number): number {
  let at = 0;
  for (let seen = 0; at < grouped.length && seen < count; at += 1) if (grouped[at] !== SEPARATOR) seen += 1;
  return at;
}

/**
 * A separator that was taken away stands for the digit beside it: the one before it for Backspace, else the one after.
 * @returns the text without that digit, and where the caret belongs
 */
function withoutNeighbour(typed: string, caret: number, inputType: string): { typed: string; caret: number } {
  const at = inputType === 'deleteContentForward' ? caret : caret - 1;
  if (at < 0) return { typed, caret };
  return { typed: typed.slice(0, at) + typed.slice(at + 1), caret: at };
}

/**
 * Shows an amount in groups of three while it is typed, and leaves the caret where the person has it.
 * @param value the amount without separators · @param clean takes out of what was typed whatever is no amount
 */
export function useGroupedAmount(value: string, clean: (typed: string) => string, onChange: (value: string) => void) {
  const ref = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<{ after: number }>();
  const shown = groupAmount(value);
  useLayoutEffect(() => {
    const field = ref.current;
    if (!caret || !field || document.activeElement !== field) return;
    const at = placeAfter(field.value, caret.after);
    field.setSelectionRange(at, at);
  }, [caret]);
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    const at = target.selectionStart ?? target.value.length;
    const isSeparatorGone = target.value.length === shown.length - 1 && clean(target.value) === value && value !== '';
    const inputType = 'inputType' in nativeEvent ? String(nativeEvent.inputType) : '';
    const edited =
      isSeparatorGone && inputType.startsWith('delete')
        ? withoutNeighbour(target.value, at, inputType)
        : { typed: target.value, caret: at };
    const next = clean(edited.typed);
    // What stands before the caret, as it is kept: a zero that leads nowhere is gone from there.
    setCaret({ after: Math.min(next.length, clean(edited.typed.slice(0, edited.caret)).length) });
    onChange(next);
  };
  return { ref, shown, change };
}
