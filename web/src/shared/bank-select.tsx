import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Reply } from '../api/types.ts';
import { bankName } from '../format/text.ts';
import { loadNamespaces } from '../i18n/i18n.ts';
import { Select } from '../ui/core/select.tsx';
import type * as BankPickerModule from './bank-picker.tsx';

export type Bank = Reply<'GET /api/lookup/banks'>[number];

/** Loads the list with marks. Until then, and if that fails, the native list opens. */
function useBankPicker() {
  const [loaded, setLoaded] = useState<typeof BankPickerModule>();
  useEffect(() => {
    Promise.all([import('./bank-picker.tsx'), loadNamespaces(['parts'])]).then(
      ([module]) => setLoaded(module),
      () => undefined,
    );
  }, []);
  return loaded;
}

export type BankSelectProps = {
  label: string;
  placeholder?: string;
  banks: readonly Bank[];
  value: string;
  onChange: (code: string) => void;
  name?: string;
  hint?: ReactNode;
  error?: string | undefined;
};

/** A bank field: a native select, and a list with marks and search that a press opens. */
export function BankSelect({ banks, value, onChange, ...rest }: BankSelectProps) {
  const select = useRef<HTMLSelectElement>(null);
  const picker = useBankPicker();
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  // After the list is gone: behind it, nothing can have the focus.
  useEffect(() => {
    if (wasOpen.current && !isOpen) select.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <>
      <Select
        ref={select}
        {...rest}
        value={value}
        options={banks.map((bank) => ({ value: bank.code, label: bankName(bank) }))}
        onChange={({ target }) => onChange(target.value)}
        mark={picker && value !== '' && <picker.PickedMark code={value} />}
        {...(picker && banks.length > 0 && { onPress: () => setOpen(true) })}
      />
      {isOpen && picker && (
        <picker.BankPicker
          title={rest.label}
          banks={banks}
          selected={value}
          onPick={(code) => {
            onChange(code);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
