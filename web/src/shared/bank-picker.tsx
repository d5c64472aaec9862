import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bankName } from '../format/text.ts';
import { BankMark, brandCode } from '../ui/art/bank-mark.tsx';
import { TextInput } from '../ui/core/text-input.tsx';
import { Modal } from '../ui/modal.tsx';
import type { Bank } from './bank-select.tsx';

/** The mark of the selected bank, inside its field. */
export const PickedMark = ({ code }: { code: string }) => <BankMark code={code} className="size-8" />;

type BankPickerProps = {
  title: string;
  banks: readonly Bank[];
  selected: string;
  onPick: (code: string) => void;
  onClose: () => void;
};

const folded = (text: string): string => text.toLowerCase().replaceAll(/[\s().-]/g, '');

/** Banks whose abbreviation, or name in any language, contains the text. */
function matchingBanks(banks: readonly Bank[], search: string): readonly Bank[] {
  const needle = folded(search);
  return banks.filter(({ code, nameTH, nameEN, nameLA }) =>
    [code, nameTH, nameEN, nameLA].some((name) => folded(name).includes(needle)),
  );
}

/** Banks with marks and abbreviations, and a search. */
export function BankPicker({ title, banks, selected, onPick, onClose }: BankPickerProps) {
  const { t } = useTranslation('parts');
  const [search, setSearch] = useState('');
  const found = matchingBanks(banks, search);
  return (
    <Modal open onClose={onClose} title={title}>
      <div className="sticky -top-4 z-10 -mx-5 -mt-4 bg-panel px-5 pt-4 pb-1">
        <TextInput
          label={t('bankSearch')}
          type="search"
          autoComplete="off"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </div>
      <ul className="grid gap-2">
        {found.map((bank) => (
          <li key={bank.code}>
            <button
              type="button"
              aria-current={bank.code === selected || undefined}
              onClick={() => onPick(bank.code)}
              className="flex min-h-14 w-full items-center gap-3 rounded-md bg-raised px-3 py-2 text-left ring-1 ring-line ring-inset hover:bg-line aria-[current]:ring-gold"
            >
              <BankMark code={bank.code} className="size-9" />
              <span className="min-w-0 grow leading-normal font-medium">{bankName(bank)}</span>
              <span className="shrink-0 text-sm text-faint">{brandCode(bank.code)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="text-sm text-muted">
        {found.length === 0 && t('bankNotFound')}
      </p>
    </Modal>
  );
}
