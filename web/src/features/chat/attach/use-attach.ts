import { useEffect, useState, type ClipboardEvent, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { attach, type Attachment, type AttachFault, detach, filesIn } from './attachment.ts';
import { sendMedia } from '../conversation/outgoing-media.ts';
import type { Send } from '../conversation/outgoing.ts';

const isFault = (one: Attachment | AttachFault): one is AttachFault => 'key' in one;

/** Whether something that is dragged over the window is files, and not words of the page. */
const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes('Files') ?? false;

/** A file that is let go beside the chat would be opened in the place of the app. */
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
 * Files on their way into the conversation: chosen, pasted or dropped, looked at, and sent or left.
 * @param alert says what is wrong with one, for as long as the chat says things
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
  /** Words stand under the last one, where they are read next. */
  const sendAll = (words: string): void => {
    attachments.forEach((attachment, i) => sendMedia(send, attachment, i === attachments.length - 1 ? words : ''));
    setAttachments([]);
  };

  const onPaste = (event: ClipboardEvent): void => {
    const files = filesIn(event.clipboardData);
    // Words that were copied from a document may bring a picture of themselves: then the words are meant. A file that was
    // copied brings its name.
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
