import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invalidate } from '../../../api/query.ts';
import { serverNow } from '../../../api/server-clock.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { formatAmount } from '../../../format/number.ts';
import { Amount } from '../../../ui/text/amount.tsx';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy-button.tsx';
import { Countdown } from '../../../ui/text/countdown.tsx';
import { ClockIcon, DepositIcon } from '../../../ui/icons/member-icons.tsx';
import { CopyIcon } from '../../../ui/icons/shell-icons.tsx';
import { ModalActions } from '../../../ui/overlay/modal.tsx';
import { QrImage } from '../../../ui/qr-image.tsx';
import { toast } from '../../../ui/overlay/toast-store.ts';
import { saveQr } from './save-qr.ts';
import type { LiveQrCode, QrDeposit } from './use-qr-deposit.ts';

export type LiveQrProps = { qr: LiveQrCode; deposit: QrDeposit; onClose: () => void };

/** A code to pay: what, how much, until when, and how to get it into the bank app of the same phone. */
export function LiveQr({ qr, deposit, onClose }: LiveQrProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const done = (): void => {
    toast.info(t('doneToast'));
    void invalidate('wallet', 'qrcode', 'statement');
    onClose();
  };
  return (
    <>
      <div className="grid grow content-start justify-items-center gap-3 text-center">
        <p className="text-sm leading-none text-muted">{t('payNow')}</p>
        <p className="text-2xl leading-tight font-bold text-gold-lit">
          <Amount value={qr.amount} currency={money.currency} withSign />
        </p>
        {qr.requested !== qr.amount && (
          <p className="max-w-sm rounded-md bg-amber-deep px-4 py-2 text-sm text-balance text-amber">
            {t('changedAmount', { requested: money.text(qr.requested), amount: money.text(qr.amount) })}
          </p>
        )}
        <QrImage svg={qr.svg} alt={t('qrOf', { amount: money.text(qr.amount) })} />
        <p className="flex items-center gap-2 rounded-full bg-raised px-4 py-1.5 text-sm text-muted">
          <ClockIcon className="size-5 text-amber" />
          {t('expiresIn')}
          <Countdown
            now={serverNow}
            until={qr.expireIn}
            onEnd={() => deposit.expire(qr.qrcodeId)}
            className="text-lg leading-tight font-bold text-ivory"
          />
        </p>
        <TakeAlong qr={qr} />
        <p className="max-w-sm text-sm text-balance text-faint">
          {t('onceOnly')}
          <br />
          {t('onePhone')}
        </p>
      </div>
      <ModalActions>
        <Button onClick={done}>{t('done')}</Button>
        <Button
          variant="plain"
          busy={deposit.isCancelling && t('cancelling')}
          onClick={() => deposit.cancel(qr.qrcodeId)}
        >
          {t('cancel')}
        </Button>
      </ModalActions>
    </>
  );
}

/** For who pays from the phone that shows the code. */
function TakeAlong({ qr }: { qr: LiveQrCode }) {
  const { t } = useTranslation('deposit');
  const { currency } = useMoney();
  const [isSaving, setSaving] = useState(false);
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const words = [formatAmount(qr.amount, { currency, withSign: true }), t('onceOnly')];
      if (await saveQr(qr.svg, words, t('savedName'))) toast.success(t('saved'));
    } catch {
      toast.danger(t('saveFailed'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <Button
        variant="quiet"
        size="sm"
        disabled={isSaving}
        icon={<DepositIcon className="size-5" />}
        onClick={() => void save()}
      >
        {t('saveImage')}
      </Button>
      {qr.payload && (
        <Button
          variant="quiet"
          size="sm"
          icon={<CopyIcon className="size-5" />}
          onClick={() => qr.payload && void copyText(qr.payload)}
        >
          {t('copyCode')}
        </Button>
      )}
    </div>
  );
}
