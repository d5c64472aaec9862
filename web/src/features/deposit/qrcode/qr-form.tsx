import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { readAmount } from '../../../format/typed-amount.ts';
import { AmountInput } from '../../../ui/form/amount-input.tsx';
import { Button } from '../../../ui/button.tsx';
import { ClockIcon, QrIcon } from '../../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../../ui/overlay/modal.tsx';
import { Notes } from '../notes.tsx';
import type { QrDeposit } from './use-qr-deposit.ts';
import { type DepositAccount, quickAmountsOf } from '../ways.ts';

export type QrFormProps = { account: DepositAccount; deposit: QrDeposit };

/** Smallest amount that is asked for at all, in whole units, whatever the gateway's own minimum is. */
const ASKED_FROM = 1;

/** How much to pay in. */
export function QrForm({ account, deposit }: QrFormProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const [typed, setTyped] = useState('');
  const amount = readAmount(typed, money.bankField);
  const least = Math.max(account.minimum ?? 0, ASKED_FROM);
  // A minimum of one is not told by a button that can't be pressed: below it, pressing does nothing.
  const isDisabled = least > ASKED_FROM ? amount < least : amount <= 0;
  const isOutside = amount < least || amount > (account.maximum ?? Infinity);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isDisabled || isOutside || deposit.isCreating) return;
    deposit.create(amount);
  };
  const minimum = money.text(least);
  const range =
    account.maximum === null
      ? t('rangeFrom', { minimum })
      : t('range', { minimum, maximum: money.text(account.maximum) });
  return (
    <form onSubmit={submit} className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {deposit.hasExpired && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <ClockIcon className="mt-0.5 size-5" />
            {t('expired')}
          </p>
        )}
        <AmountInput
          label={t('amount')}
          value={typed}
          onChange={setTyped}
          {...money.bankField}
          quickAmounts={quickAmountsOf(account)}
          hint={range}
          error={typed !== '' && isOutside ? range : undefined}
        />
        <Notes of={[t('lead'), t('onceOnly')]} />
      </div>
      <ModalActions>
        <Button
          type="submit"
          variant="gold"
          wide
          disabled={isDisabled}
          busy={deposit.isCreating && t('creating')}
          icon={<QrIcon />}
        >
          {t('create')}
        </Button>
      </ModalActions>
    </form>
  );
}
