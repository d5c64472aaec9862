import { type ChangeEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../ui/icon-button.tsx';
import { AttachIcon } from '../../../ui/icons/media-icons.tsx';
import { ACCEPTED } from './attachment.ts';

export type AttachButtonProps = { isDisabled: boolean; onChoose: (files: readonly File[]) => void };

/** Chooses pictures and videos; beside the text, in the composer. */
export function AttachButton({ isDisabled, onChoose }: AttachButtonProps) {
  const { t } = useTranslation('chat');
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onChoose([...(target.files ?? [])]);
    // The same file again is a choice too.
    target.value = '';
  };
  return (
    <>
      <IconButton label={t('attach.button')} disabled={isDisabled} onClick={() => input.current?.click()}>
        <AttachIcon />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label={t('attach.button')}
        tabIndex={-1}
        hidden
        onChange={choose}
      />
    </>
  );
}
