import { type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../../api/call.ts';
import { invalidate } from '../../../api/query/query.ts';
import { formatTime } from '../../../format/date.ts';
import { formatAmount } from '../../../format/number.ts';
import { formatTyped } from '../../../format/typed-amount.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { usePictureSaver } from '../../../shared/picture-saver.tsx';
import { MethodTime, statedTime, useTimeAndFee } from '../../../shared/time-and-fee.tsx';
import { Amount } from '../../../ui/amount.tsx';
import { copyText } from '../../../ui/copy-button.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { CheckIcon, CopyIcon } from '../../../ui/core/icons.tsx';
import { toast } from '../../../ui/core/toast.tsx';
import { DepositIcon } from '../../../ui/data/member-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { QrImage } from '../../../ui/qr-image.tsx';
import { Countdown } from '../../../ui/time.tsx';
import { ChosenBonusNote } from '../bonus/bonus-field.tsx';
import { BankApps } from './bank-apps.tsx';
import { CountdownRing } from './countdown-ring.tsx';
import { drawQr } from './save-qr.ts';
import type { LiveQrCode, QrDeposit } from './use-qr-deposit.ts';

/** Size that fits small screens beside the rest of the dialog; scanners need 184 px. */
const QR_SIZE =
  'max-w-60 short:max-w-[clamp(11.5rem,100dvh-24rem,15rem)] low:w-[clamp(11.5rem,100dvh-11.5rem,15rem)] low:max-w-none';

export type LiveQrProps = { qr: LiveQrCode; deposit: QrDeposit; onClose: () => void };

/** A code to pay on the same phone: amount, payee and expiry, saving it, and links to bank apps. */
export function LiveQr({ qr, deposit, onClose }: LiveQrProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const picture = useQrPicture(qr);
  const { text } = useTimeAndFee(useContext(MethodTime) ?? statedTime('deposit'), money.currency);
  const done = (): void => {
    toast.info(`${t('doneToast')} ${text}`);
    void invalidate('wallet', 'qrcode', 'statement');
    onClose();
  };
  return (
    <div className="flex grow flex-col items-center gap-3 text-center short:gap-2 low:grid low:grid-cols-[auto_minmax(0,1fr)] low:gap-x-5">
      <div className="grid justify-items-center gap-2 short:gap-1 low:col-start-2">
        <p className="text-sm leading-none text-muted short:hidden">{t('payNow')}</p>
        <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-1 low:gap-x-2">
          <p className="text-2xl leading-tight low:text-xl font-bold text-gold-lit">
            <Amount value={qr.amount} currency={money.currency} withSign />
          </p>
          <p className="flex items-center gap-2 rounded-full bg-raised py-1 pr-3 pl-1.5 text-sm text-muted">
            <CountdownRing key={qr.qrcodeId} code={qr} />
            <span className="short:hidden">{t('expiresIn')}</span>
            <Countdown
              now={serverNow}
              until={qr.expireIn}
              onEnd={() => deposit.expire(qr)}
              className="text-lg leading-tight font-bold text-ivory"
            />
          </p>
        </div>
        <Payee payee={qr.payee} />
      </div>
      <div className="w-full low:col-start-1 low:row-span-2 low:row-start-1 low:w-auto">{picture.image}</div>
      <div className="grid grow content-start justify-items-center gap-3 low:col-span-2">
        {qr.requestedAmount !== qr.amount && (
          <p className="max-w-sm rounded-md bg-amber-deep px-4 py-2 text-sm text-balance text-amber">
            {t('changedAmount', { requested: money.format(qr.requestedAmount), amount: money.format(qr.amount) })}
          </p>
        )}
        <ChosenBonusNote code={qr.bonusCode} amount={qr.amount} />
        <BankApps />
        {qr.payload && <CopyCode payload={qr.payload} />}
        <p className="max-w-sm text-sm text-balance text-faint">
          {t('onceOnly')}
          <br />
          {t('onePhone')}
          <br />
          {t('doneHint')}
        </p>
        <AskSupport kind="qr" reference={qr.reference} className="-mt-2!" />
      </div>
      <ModalActions
        direction="column"
        className="self-stretch low:static low:col-start-2 low:row-start-2 low:m-0 low:border-0 low:p-0"
      >
        <div className="flex gap-2 *:flex-auto narrow:flex-col low:flex-col">
          <SaveQr picture={picture} />
          <Button
            variant="quiet"
            size="sm"
            className="px-2! max-[24rem]:px-1!"
            icon={<CopyIcon className="size-5" />}
            onClick={() => void copyText(formatTyped(qr.amount))}
          >
            {t('copyAmount')}
          </Button>
        </div>
        <div className="flex gap-2 *:flex-1">
          <Button
            variant="quiet"
            size="sm"
            className="px-2!"
            icon={<CheckIcon className="size-5 low:hidden" />}
            onClick={done}
          >
            {t('done')}
          </Button>
          <Button
            variant="plain"
            size="sm"
            className="px-2! text-muted!"
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

/** Name, or masked id, of the payee; both where there is room. */
function payeeText(payee: LiveQrCode['payee']): string | undefined {
  const words = [payee?.name, payee?.id].filter(Boolean);
  return words.length > 0 ? words.join(' · ') : undefined;
}

function Payee({ payee }: Pick<LiveQrCode, 'payee'>) {
  const { t } = useTranslation('deposit');
  const name = payeeText(payee);
  if (name === undefined) return null;
  return (
    <p className="flex flex-wrap items-center justify-center gap-x-2 text-sm leading-normal">
      {payee?.scheme && (
        <span className="night rounded-sm bg-paper px-1.5 text-sm font-semibold text-well">
          {t(`scheme.${payee.scheme}`)}
        </span>
      )}
      <span className="wrap-anywhere">{t('payee', { name })}</span>
    </p>
  );
}

type QrPicture = { image: ReactNode; isBusy: boolean; save: () => void };

/** The shown QR code, and saving it as an image, for a bank app on the same phone. */
function useQrPicture({ svg, payee, amount, expireIn }: LiveQrCode): QrPicture {
  const { t } = useTranslation('deposit');
  const { currency, format } = useCurrency();
  const alt = t('qrOf', { amount: format(amount) });
  const { isBusy, give, picture } = usePictureSaver(
    { alt, hold: t('hold'), downloading: t('downloading'), failed: t('saveFailed') },
    QR_SIZE,
  );
  const name = payeeText(payee);
  const scheme = payee?.scheme && t(`scheme.${payee.scheme}`);
  const lines = [
    formatAmount(amount, { currency, withSign: true }),
    [scheme, name !== undefined && t('payee', { name })].filter(Boolean).join(' · '),
    t('payBefore', { time: formatTime(expireIn) }),
    t('onceOnly'),
  ].filter((line) => line !== '');
  return {
    image: picture ?? <QrImage svg={svg} alt={alt} size={QR_SIZE} />,
    isBusy,
    save: () => void give(() => drawQr(svg, lines, t('savedName'))),
  };
}

function SaveQr({ picture: { isBusy, save } }: { picture: QrPicture }) {
  const { t } = useTranslation('deposit');
  return (
    <Button
      size="sm"
      className="px-2! max-[24rem]:px-1!"
      disabled={isBusy}
      icon={<DepositIcon className="size-5" />}
      onClick={save}
    >
      {t('saveImage')}
    </Button>
  );
}

function CopyCode({ payload }: { payload: string }) {
  const { t } = useTranslation('deposit');
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<CopyIcon className="size-5" />}
      onClick={() => void copyText(payload, `${payload.slice(0, 20)}…`)}
    >
      {t('copyCode')}
    </Button>
  );
}
