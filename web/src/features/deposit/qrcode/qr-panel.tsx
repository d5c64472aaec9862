import { PanelSkeleton, BulletList } from '../panel-parts.tsx';
import { useQrDeposit, type QrDeposit } from './use-qr-deposit.ts';
import { type DepositAccount, quickAmounts } from '../methods.ts';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../../member/money.ts';
import { readAmount } from '../../../format/typed-amount.ts';
import { AmountInput } from '../../../ui/amount-input.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { ClockIcon, QrIcon } from '../../../ui/data/member-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { BonusField } from '../bonus/bonus-field.tsx';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { LiveQr } from './live-qr.tsx';

export type QrPanelProps = { account: DepositAccount; onClose: () => void };

/** Deposit by QR code at one gateway: amount form, then the code. */
export function QrPanel({ account, onClose }: QrPanelProps) {
  const deposit = useQrDeposit(account.bankCode);
  if (deposit.isLoading) return <PanelSkeleton />;
  if (deposit.live) return <LiveQr qr={deposit.live} deposit={deposit} onClose={onClose} />;
  return <QrForm account={account} deposit={deposit} />;
}

export type QrFormProps = { account: DepositAccount; deposit: QrDeposit };

/** Minimum amount at any gateway, in whole currency units. */
const MINIMUM_AMOUNT = 1;

/** Form for the amount of a QR deposit. */
export function QrForm({ account, deposit }: QrFormProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const [typedAmount, setTypedAmount] = useState('');
  const amount = readAmount(typedAmount, money.bankAmountField);
  const minimumAmount = Math.max(account.minimum ?? 0, MINIMUM_AMOUNT);
  // If the minimum is one, the button stays enabled; pressing it with a smaller amount has no effect.
  const isDisabled = minimumAmount > MINIMUM_AMOUNT ? amount < minimumAmount : amount <= 0;
  const isOutsideLimits = amount < minimumAmount || amount > (account.maximum ?? Infinity);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isDisabled || isOutsideLimits || deposit.isCreating) return;
    deposit.create(amount);
  };
  const minimumText = money.format(minimumAmount);
  const rangeText =
    account.maximum === null
      ? t('rangeFrom', { minimum: minimumText })
      : t('range', { minimum: minimumText, maximum: money.format(account.maximum) });
  return (
    <form onSubmit={submit} className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {deposit.expired && (
          <div className="rounded-md bg-amber-deep px-4 py-3">
            <p role="status" className="flex items-start gap-3 text-sm text-amber">
              <ClockIcon className="mt-0.5 size-5" />
              {t('expired')}
            </p>
            <AskSupport kind="qr" reference={deposit.expired.reference} className="-mb-3" />
          </div>
        )}
        <AmountInput
          label={t('amount')}
          value={typedAmount}
          onChange={setTypedAmount}
          {...money.bankAmountField}
          quickAmounts={quickAmounts(account)}
          hint={rangeText}
          error={typedAmount !== '' && isOutsideLimits ? rangeText : undefined}
        />
        <BonusField amount={amount || undefined} isDisabled={deposit.isCreating} />
        <BulletList items={[t('lead'), t('onceOnly')]} />
        {deposit.refusal && <AskSupport kind="qr" failure={deposit.refusal} className="-mt-2!" />}
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
