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
import { AttachIcon } from '../../ui/chat-icons.tsx';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { Modal } from '../../ui/modal.tsx';
import {
  ACCEPTED_FILE_TYPES,
  type Attachment,
  createAttachment,
  type AttachmentError,
  revokeAttachment,
  filesIn,
} from './attachment.ts';
import { sendMedia, type SendMessage } from './outbox.ts';

export type AttachModalProps = {
  attachments: readonly Attachment[];
  onRemove: (attachment: Attachment) => void;
  onClose: () => void;
  onSend: (text: string) => void;
};

/** Preview of the chosen files before sending: the member can remove files and add a text. */
export function AttachModal({ attachments, onRemove, onClose, onSend }: AttachModalProps) {
  const { t } = useTranslation('chat');
  const formId = useId();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('words');
    onSend(typeof text === 'string' ? text.trim() : '');
  };
  const count = attachments.length;
  return (
    <Modal
      open={count > 0}
      onClose={onClose}
      title={t('attach.title')}
      footer={
        <>
          <Button type="submit" form={formId}>
            {t('attach.send', { count })}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('attach.cancel')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="grid gap-4">
        <ul className={`grid gap-3 ${count > 1 ? 'grid-cols-2' : ''}`}>
          {attachments.map((attachment) => (
            <Preview key={attachment.objectUrl} attachment={attachment} onRemove={onRemove} />
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

function Preview({ attachment, onRemove }: { attachment: Attachment; onRemove: AttachModalProps['onRemove'] }) {
  const { t } = useTranslation('chat');
  const { file, kind, objectUrl } = attachment;
  const previewClass = 'aspect-4/3 w-full bg-well object-contain';
  return (
    <li className="overflow-clip rounded-md ring-1 ring-line">
      {kind === 'image' ? (
        <img src={objectUrl} alt={t('media.picture')} className={previewClass} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send one another has no captions
        <video
          src={objectUrl}
          controls
          playsInline
          preload="metadata"
          aria-label={t('media.video')}
          className={previewClass}
        />
      )}
      <div className="flex items-center gap-1 bg-raised pl-3">
        <span dir="auto" className="min-w-0 grow truncate text-sm text-muted">
          {file.name}
        </span>
        <IconButton label={t('attach.leave', { name: file.name })} onClick={() => onRemove(attachment)}>
          <CloseIcon className="size-5" />
        </IconButton>
      </div>
    </li>
  );
}

/** Overlay shown while files are dragged over the window. */
export function DropHint() {
  const { t } = useTranslation('chat');
  return (
    <p className="pointer-events-none absolute inset-2 z-10 flex animate-fade items-center justify-center rounded-lg border-2 border-dashed border-gold bg-well/85 p-4 text-center font-semibold">
      {t('attach.drop')}
    </p>
  );
}

export type AttachButtonProps = { isDisabled: boolean; onChoose: (files: readonly File[]) => void };

/** Button of the composer that opens the file picker for images and videos. */
export function AttachButton({ isDisabled, onChoose }: AttachButtonProps) {
  const { t } = useTranslation('chat');
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onChoose([...(target.files ?? [])]);
    // Resets the input, so that the same file can be chosen again.
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
        accept={ACCEPTED_FILE_TYPES}
        aria-label={t('attach.button')}
        tabIndex={-1}
        hidden
        onChange={choose}
      />
    </>
  );
}

const isAttachmentError = (attachment: Attachment | AttachmentError): attachment is AttachmentError =>
  'key' in attachment;

/** Whether the dragged data contains files, not text of the page. */
const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes('Files') ?? false;

/** Prevents the browser from opening a file that is dropped outside the chat. */
function usePreventFileDrop(): void {
  useEffect(() => {
    const preventDrop = (event: globalThis.DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    addEventListener('dragover', preventDrop);
    addEventListener('drop', preventDrop);
    return () => {
      removeEventListener('dragover', preventDrop);
      removeEventListener('drop', preventDrop);
    };
  }, []);
}

/**
 * Files that were chosen, pasted or dropped, until they are sent or discarded.
 * @param showError shows why a file was refused
 */
export function useAttach(send: SendMessage, showError: (text: string) => void) {
  const { t } = useTranslation('chat');
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isDraggingFiles, setDraggingFiles] = useState(false);
  usePreventFileDrop();

  const choose = async (files: readonly File[]): Promise<void> => {
    const checkedFiles = await Promise.all(files.map(createAttachment));
    const firstError = checkedFiles.find(isAttachmentError);
    if (firstError)
      showError(firstError.key === 'attach.tooLarge' ? t(firstError.key, { n: firstError.n }) : t(firstError.key));
    const validAttachments = checkedFiles.filter((checked): checked is Attachment => !isAttachmentError(checked));
    if (validAttachments.length > 0) setAttachments((previous) => [...previous, ...validAttachments]);
  };
  const removeAttachment = (attachment: Attachment): void => {
    revokeAttachment(attachment);
    setAttachments((previous) => previous.filter((other) => other !== attachment));
  };
  const discardAll = (): void => {
    attachments.forEach(revokeAttachment);
    setAttachments([]);
  };
  /** The text is sent with the last file. */
  const sendAll = (text: string): void => {
    attachments.forEach((attachment, i) => sendMedia(send, attachment, i === attachments.length - 1 ? text : ''));
    setAttachments([]);
  };

  const onPaste = (event: ClipboardEvent): void => {
    const files = filesIn(event.clipboardData);
    // Text copied from a document can include an image of the text; then only the text is pasted. A copied file always
    // includes its name.
    const isTextCopy = ['text/plain', 'text/html'].every((type) => event.clipboardData.types.includes(type));
    if (files.length === 0 || isTextCopy) return;
    event.preventDefault();
    void choose(files);
  };
  const onDragOver = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setDraggingFiles(true);
  };
  const onDragLeave = (event: DragEvent): void => {
    if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
      setDraggingFiles(false);
  };
  const onDrop = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setDraggingFiles(false);
    void choose(filesIn(event.dataTransfer));
  };
  return {
    attachments,
    choose: (files: readonly File[]) => void choose(files),
    removeAttachment,
    discardAll,
    sendAll,
    isDraggingFiles,
    onPaste,
    dropping: { onDragOver, onDragLeave, onDrop },
  };
}
