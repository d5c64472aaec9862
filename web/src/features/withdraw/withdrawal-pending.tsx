import type { UsualTime } from '@krapao/contract/usual-time';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { formatDateTime } from '../../format/date.ts';
import { formatAccountNumber, bankName } from '../../format/text.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { Wallet } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { statedTime, TimeAndFee } from '../../shared/time-and-fee.tsx';
import { Amount } from '../../ui/amount.tsx';
import { BankMark } from '../../ui/art/bank-mark.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { ModalActions } from '../../ui/modal.tsx';

export type WithdrawalPendingProps = {
  withdrawal: NonNullable<Wallet['withdrawal']>;
  account: BankAccount | null;
  onClose: () => void;
};

/** A pending withdrawal: amount, progress and target account. */
export function WithdrawalPending({ withdrawal, account, onClose }: WithdrawalPendingProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const { currency } = useCurrency();
  const usual = useUsualPayout();
  return (
    <div className="grid gap-4">
      <div className="flex items-center gap-4">
        <span className="flex size-12 shrink-0 items-center justify-center rounded-full bg-amber-deep text-amber ring-1 ring-amber/50">
          <Spinner className="size-6" />
        </span>
        <div className="min-w-0">
          <p className="text-2xl font-bold">
            <Amount value={withdrawal.amount} currency={currency} withSign />
          </p>
          <p role="status" data-state={withdrawal.state} className="text-amber">
            {t(`state.${withdrawal.state}`)}
          </p>
        </div>
      </div>
      <dl className="grid gap-1 text-sm">
        <div className="flex flex-wrap justify-between gap-x-3">
          <dt className="text-muted">{t('requestedAt')}</dt>
          <dd className="tabular-nums">{formatDateTime(withdrawal.createdAt)}</dd>
        </div>
        <ReferenceRow reference={withdrawal.reference} />
      </dl>
      {account && <DestinationAccount account={account} />}
      <p className="text-sm text-muted">
        <TimeAndFee usual={usual} className="mb-1" />
        {t('oneAtATime')}
      </p>
      <AskSupport kind="withdraw" reference={withdrawal.reference} className="-mt-2!" />
      <ModalActions>
        <Button variant="quiet" wide onClick={onClose}>
          {t('common:close')}
        </Button>
      </ModalActions>
    </div>
  );
}

/** Usual time of a payout to the member's bank; undefined while it loads. */
export function useUsualPayout(): UsualTime | undefined {
  const { data, isError } = useQuery(apiQuery('GET /api/withdraw/advice', { quiet: true }));
  return data ?? (isError ? statedTime('withdraw') : undefined);
}

/** The reference in a list of terms, with a button that copies it. */
export function ReferenceRow({ reference }: { reference: string }) {
  const { t } = useTranslation('withdraw');
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3">
      <dt className="text-muted">{t('reference')}</dt>
      <dd className="flex min-w-0 items-center">
        <span translate="no" className="amount min-w-0 break-all">
          {reference}
        </span>
        <CopyButton compact text={reference} label={t('copyReference')} />
      </dd>
    </div>
  );
}

export type BankAccount = NonNullable<Wallet['bankAccount']>;

/** Word joiner; prevents a line break after a hyphen of an account number. */
const WORD_JOINER = '\u2060';

/** Values of `{{bank}} {{account}}` for a sentence that names the account. */
export const bankTextValues = (account: BankAccount | null): { bank: string; account: string } => ({
  bank: account ? bankName(account.bank) : '',
  account: account ? formatAccountNumber(account.bankAccountNo).replaceAll('-', `-${WORD_JOINER}`) : '',
});

/** The registered bank account, the only target of withdrawals. */
export function DestinationAccount({ account }: { account: BankAccount }) {
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
