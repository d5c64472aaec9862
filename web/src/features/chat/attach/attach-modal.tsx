import { CHAT_TEXT_CHARACTERS_MAX } from '@krapao/contract/constants';
import { type ChangeEvent, type SubmitEvent, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { CloseIcon } from '../../../ui/icons/shell-icons.tsx';
import { Modal } from '../../../ui/overlay/modal.tsx';
import { TextInput } from '../../../ui/form/text-input.tsx';
import { ACCEPTED, type Attachment } from './attachment.ts';
import { AttachIcon } from '../../../ui/icons/media-icons.tsx';

export type AttachModalProps = {
  attachments: readonly Attachment[];
  onLeave: (attachment: Attachment) => void;
  onClose: () => void;
  onSend: (words: string) => void;
};

/** What was chosen, before it goes: to look at, to take out, to add words to. */
export function AttachModal({ attachments, onLeave, onClose, onSend }: AttachModalProps) {
  const { t } = useTranslation('chat');
  const form = useId();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const words = new FormData(event.currentTarget).get('words');
    onSend(typeof words === 'string' ? words.trim() : '');
  };
  const count = attachments.length;
  return (
    <Modal
      open={count > 0}
      onClose={onClose}
      title={t('attach.title')}
      footer={
        <>
          <Button type="submit" form={form}>
            {t('attach.send', { count })}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('attach.cancel')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="grid gap-4">
        <ul className={`grid gap-3 ${count > 1 ? 'grid-cols-2' : ''}`}>
          {attachments.map((attachment) => (
            <Preview key={attachment.address} attachment={attachment} onLeave={onLeave} />
          ))}
        </ul>
        <TextInput
          label={t('attach.words')}
          name="words"
          maxLength={CHAT_TEXT_CHARACTERS_MAX}
          autoComplete="off"
          enterKeyHint="send"
        />
      </form>
    </Modal>
  );
}

function Preview({ attachment, onLeave }: { attachment: Attachment; onLeave: AttachModalProps['onLeave'] }) {
  const { t } = useTranslation('chat');
  const { file, kind, address } = attachment;
  const look = 'aspect-4/3 w-full bg-well object-contain';
  return (
    <li className="overflow-clip rounded-md ring-1 ring-line">
      {kind === 'image' ? (
        <img src={address} alt={t('media.picture')} className={look} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send one another has no captions
        <video src={address} controls playsInline preload="metadata" aria-label={t('media.video')} className={look} />
      )}
      <div className="flex items-center gap-1 bg-raised pl-3">
        <span dir="auto" className="min-w-0 grow truncate text-sm text-muted">
          {file.name}
        </span>
        <IconButton label={t('attach.leave', { name: file.name })} onClick={() => onLeave(attachment)}>
          <CloseIcon className="size-5" />
        </IconButton>
      </div>
    </li>
  );
}

/** Over the window while something is dragged over it: what letting it go does. */
export function DropHint() {
  const { t } = useTranslation('chat');
  return (
    <p className="pointer-events-none absolute inset-2 z-10 flex animate-fade items-center justify-center rounded-lg border-2 border-dashed border-gold bg-well/85 p-4 text-center font-semibold">
      {t('attach.drop')}
    </p>
  );
}

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
