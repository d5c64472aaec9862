import { SLIP_BYTES_MAX } from '@krapao/contract/constants';
import { SLIP_IMAGE_FORMATS } from '@krapao/contract/input/image';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { FormFailure } from '../../../ui/form/form-failure.tsx';
import { SlipIcon } from '../../../ui/icons/deposit-icons.tsx';
import { ClockIcon } from '../../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../../ui/overlay/modal.tsx';
import { prepareImage } from '../../../image-file.ts';
import { Notes } from '../notes.tsx';
import { SlipPicker } from './slip-picker.tsx';
import { SlipSent } from './slip-sent.tsx';
import { UploadProgress } from './upload-progress.tsx';
import { useSlipTimes, useSlipWords } from './use-slip-times.ts';
import { useSlipUpload } from './use-slip-upload.ts';

const MEGABYTE = 1024 * 1024;

type Picture = { file: File; address: string };

/** Sending the picture of a transfer slip, up to its place in the list. */
export function SlipPanel({ onSlips }: { onSlips: () => void }) {
  const { t } = useTranslation(['deposit', 'errors']);
  const { data } = useSlipTimes();
  const words = useSlipWords();
  const bytesMax = data ? data.maxMB * MEGABYTE : SLIP_BYTES_MAX;
  const { state, send, cancel, reset } = useSlipUpload(bytesMax);
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
  if (state.step === 'sent') return <SlipSent reference={state.reference} onSlips={onSlips} onAgain={clear} />;
  const isClosed = data?.isOpen === false;
  const isSending = state.step === 'sending';
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
        {isSending && <UploadProgress part={state.part} />}
        <FormFailure
          text={state.step === 'failed' ? state.text : isOther ? t('errors:errorMsg.SLIP_INVALID_FILE') : undefined}
        />
        {!isSending && <Notes of={[t('slipOfOwn'), words.within, words.closed]} />}
      </div>
      {picture && (
        <ModalActions>
          <Button
            variant="gold"
            icon={<SlipIcon />}
            disabled={isClosed}
            busy={isSending && t('slipSending')}
            onClick={() => void send(picture.file)}
          >
            {t(state.step === 'failed' ? 'slipSendAgain' : 'slipSend')}
          </Button>
          <Button variant="quiet" onClick={isSending ? cancel : clear}>
            {t(isSending ? 'slipCancel' : 'slipOther')}
          </Button>
        </ModalActions>
      )}
    </div>
  );
}

/** The picture that was chosen, whole. Its address is given back once it is drawn. */
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
