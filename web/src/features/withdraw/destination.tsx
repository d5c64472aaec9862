import { useTranslation } from 'react-i18next';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';
import { formatAccountNumber } from '../../format/account-number.ts';
import { bankName } from '../../format/bank-name.ts';
import { BankMark } from '../../ui/art/bank-mark.tsx';

export type BankAccount = NonNullable<Wallet['bankAccount']>;

/** A line doesn't end after the hyphen before it: the number of an account stays in one piece. */
const JOINER = '\u2060';

/** The account in a sentence: for `{{bank}} {{account}}`. */
export const bankWords = (account: BankAccount | null): { bank: string; account: string } => ({
  bank: account ? bankName(account.bank) : '',
  account: account ? formatAccountNumber(account.bankAccountNo).replaceAll('-', `-${JOINER}`) : '',
});

/** Where the money goes: the registered account, and no other. */
export function Destination({ account }: { account: BankAccount }) {
  const { t } = useTranslation('withdraw');
  return (
    <section aria-label={t('goesTo')}>
      <h3 className="mb-1 text-sm font-medium text-muted">{t('goesTo')}</h3>
      <div className="flex items-center gap-3 rounded-md narrow:flex-col narrow:items-start bg-well px-4 py-3 ring-1 ring-line">
        <BankMark code={account.bankCode} />
        <div className="min-w-0">
          <p className="text-sm text-muted">{bankName(account.bank)}</p>
          <p className="amount text-lg leading-normal font-semibold narrow:text-base">
            {formatAccountNumber(account.bankAccountNo)}
          </p>
          <p className="text-sm">{account.bankAccountName}</p>
        </div>
      </div>
    </section>
  );
}
