import { AMOUNT_INCREASE_MAX, AMOUNT_INCREASING_GATEWAYS } from '@krapao/contract/deposit-advice';
import type { SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { readAmount } from '../../../format/typed-amount.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { AmountInput } from '../../../ui/amount-input.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { ClockIcon, QrIcon } from '../../../ui/data/member-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import type { Advice } from '../advice/use-advice.ts';
import { BonusField } from '../bonus/bonus-field.tsx';
import { type DepositAccount, isAutoDetected, quickAmounts } from '../methods.ts';
import { PanelSkeleton, BulletList } from '../panel-parts.tsx';
import { LiveQr } from './live-qr.tsx';
import { useQrDeposit, type QrDeposit } from './use-qr-deposit.ts';

export type QrPanelProps = {
  account: DepositAccount;
  advice: Pick<Advice, 'typed' | 'setTyped'>;
  onClose: () => void;
};

/** Deposit by QR code at one gateway: amount form, then the code. */
export function QrPanel({ account, advice, onClose }: QrPanelProps) {
  const deposit = useQrDeposit(account.bankCode);
  if (deposit.isLoading) return <PanelSkeleton />;
  if (deposit.live) return <LiveQr qr={deposit.live} deposit={deposit} onClose={onClose} />;
  return <QrForm account={account} advice={advice} deposit={deposit} />;
}

/** At the amount of an account that may add to it. */
export function MayAddNote({ account }: Pick<QrPanelProps, 'account'>) {
  const text = useMayAddText()(account);
  return text === undefined ? null : <p className="-mt-2 text-sm text-amber">{text}</p>;
}

export type QrFormProps = Pick<QrPanelProps, 'account' | 'advice'> & { deposit: QrDeposit };

/** Minimum amount at any gateway, in whole currency units. */
const MINIMUM_AMOUNT = 1;

/** Amounts that an account takes, and as text. */
export function useAmountRange({ minimum: least, maximum }: Pick<DepositAccount, 'minimum' | 'maximum'>) {
  const { t } = useTranslation('deposit');
  const { format } = useCurrency();
  const minimum = Math.max(least ?? 0, MINIMUM_AMOUNT);
  const text =
    maximum === null
      ? t('rangeFrom', { minimum: format(minimum) })
      : t('range', { minimum: format(minimum), maximum: format(maximum) });
  return { minimum, maximum: maximum ?? Infinity, text };
}

/** Returns how much the amount to pay may exceed the entered one, and why; undefined if an account never adds. */
export function useMayAddText(): (account: DepositAccount | undefined) => string | undefined {
  const { t } = useTranslation('deposit');
  const { currency, format } = useCurrency();
  return (account) => {
    if (!account) return undefined;
    const isAnnounced = account.bankType === 'BANK' && isAutoDetected(account);
    const mayAdd = isAnnounced || AMOUNT_INCREASING_GATEWAYS.includes(account.bankCode);
    return mayAdd ? t('mayAdd', { most: format(AMOUNT_INCREASE_MAX[currency]) }) : undefined;
  };
}

export function QrForm({ account, advice: { typed, setTyped }, deposit }: QrFormProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const amount = readAmount(typed, money.bankAmountField);
  const { minimum, maximum, text: rangeText } = useAmountRange(account);
  // If the minimum is one, the button stays enabled; pressing it with a smaller amount has no effect.
  const isDisabled = account.isStopped === true || (minimum > MINIMUM_AMOUNT ? amount < minimum : amount <= 0);
  const isOutsideLimits = amount < minimum || amount > maximum;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isDisabled || isOutsideLimits || deposit.isCreating) return;
    deposit.create(amount);
  };
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
        {account.isStopped && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <ClockIcon className="mt-0.5 size-5" />
            {t('refused.STOPPED')}
          </p>
        )}
        <AmountInput
          label={t('amount')}
          value={typed}
          onChange={setTyped}
          {...money.bankAmountField}
          quickAmounts={quickAmounts(account)}
          hint={rangeText}
          error={typed !== '' && isOutsideLimits ? rangeText : undefined}
        />
        <MayAddNote account={account} />
        <BonusField amount={amount || undefined} isDisabled={deposit.isCreating} />
        <BulletList items={[t('lead'), t('onceOnly')]} />
        {deposit.refusal && <AskSupport kind="qr" failure={deposit.refusal} className="-mt-2!" />}
      </div>
      <ModalActions>
        <Button
          type="submit"
          variant="primary"
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
