import { CHAT_TEXT_CHARACTERS_MAX } from '@krapao/contract/constants';
import {
  type ChangeEvent,
  type SubmitEvent,
  useId,
  useRef,
  useEffect,
  useState,
  type ClipboardEvent,
  type DragEvent,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { ACCEPTED, type Attachment, attach, type AttachmentError, detach, filesIn } from './attachment.ts';
import { AttachIcon } from '../../ui/chat-icons.tsx';
import { sendMedia, type Send } from './outbox.ts';

export type AttachModalProps = {
  attachments: readonly Attachment[];
  onLeave: (attachment: Attachment) => void;
  onClose: () => void;
  onSend: (words: string) => void;
};

/** Preview of the chosen files before sending: remove some, add text. */
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

/** Overlay while files are dragged over the window. */
export function DropHint() {
  const { t } = useTranslation('chat');
  return (
    <p className="pointer-events-none absolute inset-2 z-10 flex animate-fade items-center justify-center rounded-lg border-2 border-dashed border-gold bg-well/85 p-4 text-center font-semibold">
      {t('attach.drop')}
    </p>
  );
}

export type AttachButtonProps = { isDisabled: boolean; onChoose: (files: readonly File[]) => void };

/** Button of the composer to choose images and videos. */
export function AttachButton({ isDisabled, onChoose }: AttachButtonProps) {
  const { t } = useTranslation('chat');
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onChoose([...(target.files ?? [])]);
    // Allows choosing the same file again.
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

const isFault = (one: Attachment | AttachmentError): one is AttachmentError => 'key' in one;

/** Whether the dragged data is files, not text of the page. */
const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes('Files') ?? false;

/** Prevents the browser from opening a file dropped beside the chat. */
function useDropNowhereElse(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    addEventListener('dragover', refuse);
    addEventListener('drop', refuse);
    return () => {
      removeEventListener('dragover', refuse);
      removeEventListener('drop', refuse);
    };
  }, []);
}

/**
 * Files chosen, pasted or dropped into the conversation, until they are sent or discarded.
 * @param alert shows why a file was refused
 */
export function useAttach(send: Send, alert: (text: string) => void) {
  const { t } = useTranslation('chat');
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isOver, setOver] = useState(false);
  useDropNowhereElse();

  const choose = (files: readonly File[]): void => {
    const looked = files.map(attach);
    const fault = looked.find(isFault);
    if (fault) alert(fault.key === 'attach.tooLarge' ? t(fault.key, { n: fault.n }) : t(fault.key));
    const good = looked.filter((one): one is Attachment => !isFault(one));
    if (good.length > 0) setAttachments((before) => [...before, ...good]);
  };
  const leave = (attachment: Attachment): void => {
    detach(attachment);
    setAttachments((before) => before.filter((one) => one !== attachment));
  };
  const leaveAll = (): void => {
    attachments.forEach(detach);
    setAttachments([]);
  };
  /** The text goes below the last file. */
  const sendAll = (words: string): void => {
    attachments.forEach((attachment, i) => sendMedia(send, attachment, i === attachments.length - 1 ? words : ''));
    setAttachments([]);
  };

  const onPaste = (event: ClipboardEvent): void => {
    const files = filesIn(event.clipboardData);
    // Text copied from a document may include an image of itself: then the text is meant. A copied file includes its
    // name.
    const isOfWords = ['text/plain', 'text/html'].every((type) => event.clipboardData.types.includes(type));
    if (files.length === 0 || isOfWords) return;
    event.preventDefault();
    choose(files);
  };
  const onDragOver = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const onDragLeave = (event: DragEvent): void => {
    if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false);
  };
  const onDrop = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    choose(filesIn(event.dataTransfer));
  };
  return {
    attachments,
    choose,
    leave,
    leaveAll,
    sendAll,
    isOver,
    onPaste,
    dropping: { onDragOver, onDragLeave, onDrop },
  };
}
