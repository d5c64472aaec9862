import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { ImageFormat } from '@krapao/contract/input/image';
import { upload } from '../../../api/upload.ts';
import { prepareImage } from '../../../image-file.ts';
import type { Attachment } from '../attach/attachment.ts';
import type { Prepare, Send } from './outgoing.ts';

const IMAGES: { types: readonly ImageFormat[]; bytesMax: number } = {
  types: ['png', 'jpg', 'gif'],
  bytesMax: CHAT_FILE_BYTES_MAX.image,
};

/** Files go up one after another: beside each other on a slow line, none would arrive. */
let line: Promise<unknown> = Promise.resolve();

/** How many files are on their way up or wait for it. */
let underWay = 0;

/** The browser asks for confirmation before leaving, in words of its own. */
const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();

function inLine<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  underWay += 1;
  addEventListener('beforeunload', askFirst);
  const mine = line
    .then(() => {
      // Taken away while it waited.
      signal.throwIfAborted();
      return work();
    })
    .finally(() => {
      underWay -= 1;
      if (underWay === 0) removeEventListener('beforeunload', askFirst);
    });
  line = mine.catch(() => undefined);
  return mine;
}

/** Sends a file with words, which may be none. It is shown from this browser until the server has it. */
export function sendMedia(send: Send, { file, kind, address }: Attachment, words: string): void {
  const messageOf = (filePath: string): CustomerMessage => ({
    message_type: 'media',
    payload: { message: words, url: address, fileType: kind, filePath },
  });
  const prepare: Prepare = ({ signal, onProgress, authorization }) => {
    signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true });
    return inLine(signal, async () => {
      // The server reports errors of an image that this browser can't decode.
      const sent = kind === 'image' ? await prepareImage(file, IMAGES).catch(() => file) : file;
      const { path } = await upload(`POST /api/chat/upload-${kind}`, sent, {
        signal,
        onProgress,
        ...(authorization && { authorization }),
      });
      return messageOf(path);
    });
  };
  send(messageOf(''), prepare);
}
