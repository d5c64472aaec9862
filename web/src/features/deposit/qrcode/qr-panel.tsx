import { PanelSkeleton, BulletList } from '../panel-parts.tsx';
import { useQrDeposit, type QrDeposit, type LiveQrCode } from './use-qr-deposit.ts';
import { type DepositAccount, quickAmounts } from '../methods.ts';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../../member/money.ts';
import { readAmount } from '../../../format/typed-amount.ts';
import { AmountInput } from '../../../ui/amount-input.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { ClockIcon, QrIcon, DepositIcon } from '../../../ui/data/member-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { invalidate } from '../../../api/query/query.ts';
import { serverNow } from '../../../api/call.ts';
import { formatAmount } from '../../../format/number.ts';
import { Amount } from '../../../ui/amount.tsx';
import { copyText } from '../../../ui/copy-button.tsx';
import { Countdown } from '../../../ui/time.tsx';
import { CopyIcon } from '../../../ui/core/icons.tsx';
import { QrImage } from '../../../ui/qr-image.tsx';
import { toast } from '../../../ui/core/toast.tsx';
import { saveQr } from './save-qr.ts';

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
        {deposit.hasExpired && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <ClockIcon className="mt-0.5 size-5" />
            {t('expired')}
          </p>
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
        <BulletList items={[t('lead'), t('onceOnly')]} />
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

/** QR size that leaves space for the rest of the dialog on small screens; scanners need at least 184 px. */
const QR_SIZE =
  'max-w-60 short:max-w-[clamp(11.5rem,100dvh-21rem,15rem)] low:w-[clamp(11.5rem,100dvh-11.5rem,15rem)] low:max-w-none';

export type LiveQrProps = { qr: LiveQrCode; deposit: QrDeposit; onClose: () => void };

/** A QR code to pay: amount, expiry, and a button to save it for a bank app on the same phone. */
export function LiveQr({ qr, deposit, onClose }: LiveQrProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const closeAsDone = (): void => {
    toast.info(t('doneToast'));
    void invalidate('wallet', 'qrcode', 'statement');
    onClose();
  };
  return (
    <div className="flex grow flex-col items-center gap-3 text-center short:gap-2 low:grid low:grid-cols-[auto_minmax(0,1fr)] low:gap-x-5">
      <div className="grid justify-items-center gap-2 short:flex short:flex-wrap short:items-center short:justify-center short:gap-x-4 short:gap-y-1 low:col-start-2">
        <p className="text-sm leading-none text-muted short:hidden">{t('payNow')}</p>
        <p className="text-2xl leading-tight font-bold text-gold-lit">
          <Amount value={qr.amount} currency={money.currency} withSign />
        </p>
        <p className="flex items-center gap-2 rounded-full bg-raised px-4 py-1.5 text-sm text-muted short:px-3 short:py-1">
          <ClockIcon className="size-5 text-amber" />
          <span className="short:hidden">{t('expiresIn')}</span>
          <Countdown
            now={serverNow}
            until={qr.expireIn}
            onEnd={() => deposit.expire(qr.qrcodeId)}
            className="text-lg leading-tight font-bold text-ivory"
          />
        </p>
      </div>
      <div className="w-full low:col-start-1 low:row-span-2 low:row-start-1 low:w-auto">
        <QrImage svg={qr.svg} alt={t('qrOf', { amount: money.format(qr.amount) })} size={QR_SIZE} />
      </div>
      <div className="grid grow content-start justify-items-center gap-3 low:col-span-2">
        {qr.requestedAmount !== qr.amount && (
          <p className="max-w-sm rounded-md bg-amber-deep px-4 py-2 text-sm text-balance text-amber">
            {t('changedAmount', { requested: money.format(qr.requestedAmount), amount: money.format(qr.amount) })}
          </p>
        )}
        {qr.payload && <CopyCode payload={qr.payload} />}
        <p className="max-w-sm text-sm text-balance text-faint">
          {t('onceOnly')}
          <br />
          {t('onePhone')}
        </p>
      </div>
      <ModalActions
        direction="column"
        className="self-stretch low:static low:col-start-2 low:row-start-2 low:m-0 low:border-0 low:p-0"
      >
        <SaveQr qr={qr} />
        <div className="flex gap-2 *:flex-1">
          <Button variant="plain" size="sm" onClick={closeAsDone}>
            {t('done')}
          </Button>
          <Button
            variant="plain"
            size="sm"
            busy={deposit.isCancelling && t('cancelling')}
            onClick={() => deposit.cancel(qr.qrcodeId)}
          >
            {t('cancel')}
          </Button>
        </div>
      </ModalActions>
    </div>
  );
}

/** Button that saves the QR code as an image, for a bank app on the same phone. */
function SaveQr({ qr }: { qr: LiveQrCode }) {
  const { t } = useTranslation('deposit');
  const { currency } = useMoney();
  const [isSaving, setSaving] = useState(false);
  const saveImage = async (): Promise<void> => {
    setSaving(true);
    try {
      const imageTexts = [formatAmount(qr.amount, { currency, withSign: true }), t('onceOnly')];
      if (await saveQr(qr.svg, imageTexts, t('savedName'))) toast.success(t('saved'));
    } catch {
      toast.danger(t('saveFailed'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Button disabled={isSaving} icon={<DepositIcon className="size-5" />} onClick={() => void saveImage()}>
      {t('saveImage')}
    </Button>
  );
}

function CopyCode({ payload }: { payload: string }) {
  const { t } = useTranslation('deposit');
  return (
    <Button variant="quiet" size="sm" icon={<CopyIcon className="size-5" />} onClick={() => void copyText(payload)}>
      {t('copyCode')}
    </Button>
  );
}
