import { QUICK_AMOUNTS } from '@krapao/contract/constants';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../format/number.ts';
import { AmountInput, readAmount } from '../../ui/amount-input.tsx';
import { BankMark } from '../../ui/art/bank-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { ClockIcon, QrIcon } from '../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import type { GatewayAccount } from './gateway.ts';
import type { QrDeposit } from './use-qr-deposit.ts';

export type QrFormProps = { account: GatewayAccount; deposit: QrDeposit };

/** Smallest amount that is asked for at all, in whole baht, whatever the gateway's own minimum is. */
const ASKED_FROM = 1;

/** How much to pay in. */
export function QrForm({ account, deposit }: QrFormProps) {
  const { t } = useTranslation('deposit');
  const [typed, setTyped] = useState('');
  const [isRefused, setRefused] = useState(false);
  const amount = readAmount(typed);
  const least = Math.max(account.minimum ?? 0, ASKED_FROM);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (amount < ASKED_FROM) return;
    if (amount < least || amount > (account.maximum ?? Infinity)) setRefused(true);
    else if (!deposit.isCreating) deposit.create(amount);
  };
  const minimum = formatNumber(least, 0);
  const range =
    account.maximum === null
      ? t('rangeFrom', { minimum })
      : t('range', { minimum, maximum: formatNumber(account.maximum, 0) });
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="flex items-center gap-3">
        <BankMark code={account.bankCode} />
        <p className="text-sm text-muted">{t('lead')}</p>
      </div>
      {deposit.hasExpired && (
        <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
          <ClockIcon className="mt-0.5 size-5" />
          {t('expired')}
        </p>
      )}
      <AmountInput
        label={t('amount')}
        value={typed}
        onChange={(value) => {
          setTyped(value);
          setRefused(false);
        }}
        unit="฿"
        quickAmounts={QUICK_AMOUNTS[account.bankCode]}
        hint={range}
        error={isRefused ? range : undefined}
      />
      <ModalActions>
        <Button
          type="submit"
          variant="gold"
          wide
          disabled={amount <= 0}
          busy={deposit.isCreating && t('creating')}
          icon={<QrIcon />}
        >
          {t('create')}
        </Button>
      </ModalActions>
    </form>
  );
}
