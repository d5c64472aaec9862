import { type ChangeEvent, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { CameraIcon, PictureIcon, SlipIcon } from '../../../ui/icons/deposit-icons.tsx';

/**
 * File types offered by the picker; the bytes are checked later. Without HEIC, iPhones convert such photos to JPEG.
 */
const ACCEPTED_TYPES = 'image/jpeg,image/png,image/webp,image/jpg,.jpg,.jpeg,.png,.webp';

export type SlipPickerProps = { isDisabled: boolean; onPick: (file: File) => void };

/** A picture from the phone, or one taken now. */
export function SlipPicker({ isDisabled, onPick }: SlipPickerProps) {
  const { t } = useTranslation('deposit');
  const id = useId();
  const fromPictures = useRef<HTMLInputElement>(null);
  const fromCamera = useRef<HTMLInputElement>(null);
  const pick = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const [file] = target.files ?? [];
    if (file) onPick(file);
    // The same picture again is a choice too.
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
          variant="primary"
          size="sm"
          disabled={isDisabled}
          icon={<PictureIcon className="size-5" />}
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
