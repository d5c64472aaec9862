import { CHAT_EXTENSIONS, CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { i18n } from '../../i18n/i18n.ts';

export type AttachmentKind = 'image' | 'video';

/** A chosen file that can be sent. `address` is an object URL; its last holder revokes it. */
export type Attachment = { file: File; kind: AttachmentKind; address: string };

/** Why a file can't be sent; `key` is the phrase. */
export type AttachmentError = { key: 'attach.notSupported' } | { key: 'attach.tooLarge'; n: number };

const MEGABYTE = 1024 * 1024;

/**
 * Types offered by the file picker. With MIME types, phones open the photo library; extensions alone open a file list.
 */
export const ACCEPTED = ['image/png', 'image/jpeg', 'image/gif', 'video/mp4', 'video/quicktime']
  .concat(Object.values(CHAT_EXTENSIONS).flatMap((extensions) => extensions.map((extension) => `.${extension}`)))
  .join(',');

function kindOf({ name }: File): AttachmentKind | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const kinds: readonly AttachmentKind[] = ['image', 'video'];
  return kinds.find((kind) => (CHAT_EXTENSIONS[kind] as readonly string[]).includes(extension));
}

/** Validates a file by its extension and size; an empty file is refused. */
export function attach(file: File): Attachment | AttachmentError {
  const kind = kindOf(file);
  if (!kind || file.size === 0) return { key: 'attach.notSupported' };
  const bytesMax = CHAT_FILE_BYTES_MAX[kind];
  if (file.size > bytesMax) return { key: 'attach.tooLarge', n: bytesMax / MEGABYTE };
  return { file, kind, address: URL.createObjectURL(file) };
}

/** Revokes the object URL of an attachment that won't be sent. */
export const detach = ({ address }: Attachment): void => URL.revokeObjectURL(address);

/** Pasted or dropped files. A copied image may lack a name: its type gives the extension. */
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

/** Text for a failed message; for files more precise than its code. */
export const sendFailureText = (failure: unknown): string =>
  // The content is another type than its extension.
  detailOf(failure) === 'FILE_TYPE' ? i18n.t('chat:attach.notSupported') : failureText(failure);

/** Last segment of a path or URL, decoded; '' when there is none. */
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
