import { useTranslation } from 'react-i18next';
import { formatAccountNumber } from '../../../format/account-number.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyIcon } from '../../../ui/icons/shell-icons.tsx';

export type AccountCardProps = {
  bank: string;
  holder: string;
  number: string;
  /** Above the number, where it is none of a bank account. */
  numberLabel?: string;
  onCopy: () => void;
};

/** Where to send money to, with the number as large as one reads it off. */
export function AccountCard({ bank, holder, number, numberLabel, onCopy }: AccountCardProps) {
  const { t } = useTranslation(['deposit', 'parts']);
  return (
    <section className="plaque relative isolate overflow-hidden rounded-lg p-4 shadow-low ring-1 ring-gold/40 ring-inset">
      <dl className="grid gap-3">
        <div>
          <dt className="text-sm text-gold-lit">{t('accountHolder')}</dt>
          <dd className="font-medium">{holder}</dd>
          <dd className="text-sm text-ivory/85">{bank}</dd>
        </div>
        <div>
          <dt className="text-sm text-gold-lit">{numberLabel ?? t('accountNumber')}</dt>
          <dd className="amount text-2xl leading-tight font-bold text-ivory">{formatAccountNumber(number)}</dd>
        </div>
      </dl>
      <Button variant="gold" wide icon={<CopyIcon className="size-5" />} className="mt-4" onClick={onCopy}>
        {t('copyNumber')}
      </Button>
    </section>
  );
}
