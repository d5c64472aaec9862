import { CHAT_EXTENSIONS, CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { i18n } from '../../i18n/i18n.ts';

export type AttachmentKind = 'image' | 'video';

/** A file that was chosen and can be sent. `address` shows it from this browser; who holds it last gives it back. */
export type Attachment = { file: File; kind: AttachmentKind; address: string };

/** Why a file can't be sent, as the words for it are named. */
export type AttachmentError = { key: 'attach.notSupported' } | { key: 'attach.tooLarge'; n: number };

const MEGABYTE = 1024 * 1024;

/** What choosing offers. By their types phones look among pictures and videos; extensions alone open a list of files. */
export const ACCEPTED = ['image/png', 'image/jpeg', 'image/gif', 'video/mp4', 'video/quicktime']
  .concat(Object.values(CHAT_EXTENSIONS).flatMap((extensions) => extensions.map((extension) => `.${extension}`)))
  .join(',');

function kindOf({ name }: File): AttachmentKind | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const kinds: readonly AttachmentKind[] = ['image', 'video'];
  return kinds.find((kind) => (CHAT_EXTENSIONS[kind] as readonly string[]).includes(extension));
}

/** Whether a file may be sent, by its extension and its size; an empty one is none. */
export function attach(file: File): Attachment | AttachmentError {
  const kind = kindOf(file);
  if (!kind || file.size === 0) return { key: 'attach.notSupported' };
  const bytesMax = CHAT_FILE_BYTES_MAX[kind];
  if (file.size > bytesMax) return { key: 'attach.tooLarge', n: bytesMax / MEGABYTE };
  return { file, kind, address: URL.createObjectURL(file) };
}

/** Forgets one that won't be sent. */
export const detach = ({ address }: Attachment): void => URL.revokeObjectURL(address);

/** Files of what was pasted or dropped. A copied picture may come without a name: its type gives it an extension. */
export const filesIn = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].map((file) => {
    const [kind, extension] = file.type.split('/');
    return file.name === '' && kind === 'image' && extension
      ? new File([file], `picture.${extension}`, { type: file.type })
      : file;
  });

const detailOf = (failure: unknown): string | undefined => (failure instanceof ApiFailure ? failure.detail : undefined);

/** Whether a message was refused because its file doesn't exist for the sender: expired, or uploaded by another sender. */
export const isFileGone = (failure: unknown): boolean => detailOf(failure) === 'NO_FILE';

/** Why a message was not sent; about the file more precise than its code. */
export const sendFailureText = (failure: unknown): string =>
  // Something else than its extension says.
  detailOf(failure) === 'FILE_TYPE' ? i18n.t('chat:attach.notSupported') : failureText(failure);

/** The last part of a path or an address, as one reads it; '' when it has none. */
export function fileName(path: string): string {
  const last =
    path
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
