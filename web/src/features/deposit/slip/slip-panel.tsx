import { SLIP_BYTES_MAX } from '@krapao/contract/constants';
import { SLIP_IMAGE_FORMATS } from '@krapao/contract/input/image';
import { useRef, useState, type ChangeEvent, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { usePaged } from '../../../api/query/query.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { prepareImage } from '../../../shared/image-file.ts';
import { PushQuestion } from '../../../shared/push-question.tsx';
import { MethodTimeAndFee } from '../../../shared/time-and-fee.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { FormFailure } from '../../../ui/core/field.tsx';
import { CheckIcon, CloseIcon } from '../../../ui/core/icons.tsx';
import { ClockIcon } from '../../../ui/data/member-icons.tsx';
import { SlipIcon, CameraIcon, ImageIcon } from '../../../ui/deposit-icons.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { depositFailureText } from '../bonus/bonus-choice.tsx';
import { BonusField } from '../bonus/bonus-field.tsx';
import { BonusOutcome } from '../bonus/bonus-outcome.tsx';
import { BulletList } from '../panel-parts.tsx';
import { useSlipTimes, useSlipWords, useSlipUpload } from './use-slip-upload.ts';

const MEGABYTE = 1024 * 1024;

type Picture = { file: File; address: string };

/** Uploads the image of a transfer slip and shows its result. */
export function SlipPanel({ onSlips }: { onSlips: () => void }) {
  const { t } = useTranslation(['deposit', 'errors']);
  const { data } = useSlipTimes();
  const words = useSlipWords();
  const bytesMax = data ? data.maxMB * MEGABYTE : SLIP_BYTES_MAX;
  const { state, share, send, abort, reset, isBusy } = useSlipUpload(bytesMax);
  const [picture, setPicture] = useState<Picture>();
  const [isOther, setOther] = useState(false);
  const last = useRef<File>(undefined);
  const clear = (): void => {
    reset();
    last.current = undefined;
    setOther(false);
    setPicture(undefined);
  };
  const choose = async (file: File): Promise<void> => {
    clear();
    last.current = file;
    const ready = await prepareImage(file, { types: SLIP_IMAGE_FORMATS, bytesMax }).catch(() => undefined);
    if (last.current !== file) return;
    setOther(!ready);
    setPicture(ready && { file: ready, address: URL.createObjectURL(ready) });
  };
  if (state.status === 'done')
    return <SlipSent reference={state.reply.slip.reference} onSlips={onSlips} onAgain={clear} />;
  const isClosed = data?.isOpen === false;
  const failure = 'failure' in state ? state.failure : undefined;
  return (
    <div className="flex grow flex-col">
      <div className="grid grow content-start gap-4">
        {isClosed && (
          <p role="status" className="flex items-start gap-3 rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
            <ClockIcon className="mt-0.5 size-5" />
            {t('closedNow', { from: data.closedFrom, to: data.closedTo })}
          </p>
        )}
        {picture ? (
          <Preview picture={picture} />
        ) : (
          <SlipPicker isDisabled={isClosed} onPick={(file) => void choose(file)} />
        )}
        <BonusField amount={undefined} isDisabled={isBusy} />
        {isBusy && <UploadProgress part={share} />}
        <SlipFailure failure={failure} isOtherFormat={isOther} />
        {!isBusy && <BulletList items={[t('slipOfOwn'), words.within, words.closed]} />}
      </div>
      {picture && (
        <ModalActions>
          <Button
            variant="primary"
            icon={<SlipIcon />}
            disabled={isClosed}
            busy={isBusy && t('slipSending')}
            onClick={() => void send(picture.file)}
          >
            {t(failure ? 'slipSendAgain' : 'slipSend')}
          </Button>
          <Button variant="quiet" onClick={isBusy ? abort : clear}>
            {t(isBusy ? 'slipCancel' : 'slipOther')}
          </Button>
        </ModalActions>
      )}
    </div>
  );
}

/** Preview of the chosen image. Its object URL is revoked once it is drawn. */
function Preview({ picture }: { picture: Picture }) {
  const { t } = useTranslation('deposit');
  return (
    <figure className="grid justify-items-center gap-2">
      <img
        src={picture.address}
        alt={t('slipPreview')}
        onLoad={() => URL.revokeObjectURL(picture.address)}
        className="max-h-72 max-w-full rounded-md bg-paper object-contain short:max-h-56 low:max-h-[max(8rem,100dvh-13rem)]"
      />
      <figcaption className="max-w-full truncate text-sm text-faint">{picture.file.name}</figcaption>
    </figure>
  );
}

/** Why the image can't be used, or why sending failed. */
function SlipFailure({ failure, isOtherFormat }: { failure: unknown; isOtherFormat: boolean }) {
  const { t } = useTranslation('errors');
  if (failure === undefined) return <FormFailure text={isOtherFormat ? t('errorMsg.SLIP_INVALID_FILE') : undefined} />;
  return (
    <>
      <FormFailure text={depositFailureText(failure)} />
      <AskSupport kind="slip" failure={failure} className="-mt-2!" />
    </>
  );
}

/**
 * File types offered by the picker; the bytes are checked later. Without HEIC, iPhones convert such photos to JPEG.
 */
const ACCEPTED_TYPES = 'image/jpeg,image/png,image/webp,image/jpg,.jpg,.jpeg,.png,.webp';

export type SlipPickerProps = { isDisabled: boolean; onPick: (file: File) => void };

/** Chooses an image, or takes a photo. */
export function SlipPicker({ isDisabled, onPick }: SlipPickerProps) {
  const { t } = useTranslation('deposit');
  const id = useId();
  const fromPictures = useRef<HTMLInputElement>(null);
  const fromCamera = useRef<HTMLInputElement>(null);
  const pick = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const [file] = target.files ?? [];
    if (file) onPick(file);
    // Allows choosing the same image again.
    target.value = '';
  };
  const input = { type: 'file', accept: ACCEPTED_TYPES, tabIndex: -1, hidden: true, onChange: pick } as const;
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file && !isDisabled) onPick(file);
      }}
      className="grid justify-items-center gap-4 rounded-lg border border-dashed border-edge bg-well/60 px-4 py-6 text-center"
    >
      <SlipIcon className="size-12 text-gold" />
      <p className="text-sm text-balance text-muted">{t('slipPick')}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button
          variant="gold"
          size="sm"
          disabled={isDisabled}
          icon={<ImageIcon className="size-5" />}
          onClick={() => fromPictures.current?.click()}
        >
          {t('slipChoose')}
        </Button>
        <Button
          variant="quiet"
          size="sm"
          disabled={isDisabled}
          icon={<CameraIcon className="size-5" />}
          className="pointer-fine:hidden"
          onClick={() => fromCamera.current?.click()}
        >
          {t('slipTake')}
        </Button>
      </div>
      <input {...input} ref={fromPictures} id={`${id}pictures`} aria-label={t('slipChoose')} />
      <input {...input} ref={fromCamera} capture="environment" id={`${id}camera`} aria-label={t('slipTake')} />
    </div>
  );
}

/** Upload progress. @param part 0 to 1 */
export function UploadProgress({ part }: { part: number }) {
  const { t } = useTranslation('deposit');
  const percent = Math.floor(part * 100);
  return (
    <div className="grid gap-1">
      <p className="flex justify-between text-sm text-muted">
        {t(percent < 100 ? 'slipSending' : 'slipChecking')}
        <span className="amount">{percent}%</span>
      </p>
      <div
        role="progressbar"
        aria-label={t('slipProgress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2 overflow-hidden rounded-full bg-well ring-1 ring-line"
      >
        <div className="h-full origin-left bg-gold transition-transform" style={{ transform: `scaleX(${part})` }} />
      </div>
    </div>
  );
}

/** Polling interval until the outcome of the slip is final, in ms. */
const LOOK_AGAIN_MS = 3_000;

const MARKS = {
  received: { icon: ClockIcon, look: 'bg-amber-deep text-amber ring-amber/50' },
  credited: { icon: CheckIcon, look: 'bg-jade-deep text-jade ring-jade/50' },
  review: { icon: ClockIcon, look: 'bg-amber-deep text-amber ring-amber/50' },
  failed: { icon: CloseIcon, look: 'bg-coral-deep text-coral ring-coral/50' },
} as const;

export type SlipSentProps = { reference: string; onSlips: () => void; onAgain: () => void };

/** A received slip: its outcome once known, and a link to the list. */
export function SlipSent({ reference, onSlips, onAgain }: SlipSentProps) {
  const { t } = useTranslation(['deposit', 'statement']);
  const slip = useSlip(reference);
  const outcome = outcomeOf(slip);
  const { icon: Icon, look } = MARKS[outcome];
  const words = {
    received: [t('slipSent'), t('slipSentHint')],
    credited: [t('slipCredited'), t('slipCreditedHint')],
    review: [t('slipReview'), t('slipReviewHint')],
    failed: [t('slipFailed'), slip?.note ? t(`statement:slips.reason.${slip.note}`) : ''],
  }[outcome];
  return (
    <div className="flex grow flex-col">
      <div
        role="status"
        data-outcome={outcome}
        className="grid grow content-start justify-items-center gap-2 py-6 text-center"
      >
        <span className={`flex size-14 items-center justify-center rounded-full ring-1 ${look}`}>
          <Icon className="size-7" />
        </span>
        <p className="text-lg font-semibold">{words[0]}</p>
        <p className="max-w-sm text-sm text-balance text-muted">{words[1]}</p>
        {outcome === 'received' && <MethodTimeAndFee />}
        {outcome === 'credited' && <BonusOutcome reference={reference} />}
      </div>
      {(outcome === 'received' || outcome === 'review') && <PushQuestion about="slip" />}
      {outcome === 'failed' && <AskSupport kind="slip" reference={reference} className="self-center" />}
      <ModalActions>
        {outcome === 'failed' && <Button onClick={onAgain}>{t('slipAnother')}</Button>}
        <Button variant={outcome === 'failed' ? 'quiet' : 'primary'} onClick={onSlips}>
          {t('seeSlips')}
        </Button>
        {outcome !== 'failed' && (
          <Button variant="quiet" onClick={onAgain}>
            {t('slipAnother')}
          </Button>
        )}
      </ModalActions>
    </div>
  );
}

/** The slip as an entry of the list. */
function useSlip(reference: string) {
  const { data } = usePaged('POST /api/statement/slip', {
    quiet: true,
    refetchIntervalMs: ({ slips }) => {
      const status = slips.find((slip) => slip.reference === reference)?.status;
      return status !== 'FAILED' && status !== 'SUCCESS' && LOOK_AGAIN_MS;
    },
  });
  return data?.slips.find((slip) => slip.reference === reference);
}

function outcomeOf(slip: ReturnType<typeof useSlip>): keyof typeof MARKS {
  if (slip?.status === 'FAILED') return 'failed';
  if (slip?.status === 'SUCCESS') return 'credited';
  return slip?.underReview ? 'review' : 'received';
}
