import { CHAT_EXTENSIONS, CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { i18n } from '../../i18n/i18n.ts';

export type AttachmentKind = 'image' | 'video';

/** A chosen file that can be sent. The last user of `objectUrl` must revoke it. */
export type Attachment = { file: File; kind: AttachmentKind; objectUrl: string };

/** Why a file can't be sent; `key` is the key of the phrase. */
export type AttachmentError = { key: 'attach.notSupported' } | { key: 'attach.tooLarge'; n: number };

const MEGABYTE_BYTES = 1024 * 1024;

/**
 * File types for the picker. MIME types make phones open the photo library; with extensions alone they would open a
 * file list.
 */
export const ACCEPTED_FILE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'video/mp4', 'video/quicktime']
  .concat(Object.values(CHAT_EXTENSIONS).flatMap((extensions) => extensions.map((extension) => `.${extension}`)))
  .join(',');

function attachmentKindOf({ name }: File): AttachmentKind | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const kinds: readonly AttachmentKind[] = ['image', 'video'];
  return kinds.find((kind) => (CHAT_EXTENSIONS[kind] as readonly string[]).includes(extension));
}

/** Creates an attachment from a file with an accepted extension and size; an empty file is refused. */
export function createAttachment(file: File): Attachment | AttachmentError {
  const kind = attachmentKindOf(file);
  if (!kind || file.size === 0) return { key: 'attach.notSupported' };
  const bytesMax = CHAT_FILE_BYTES_MAX[kind];
  if (file.size > bytesMax) return { key: 'attach.tooLarge', n: bytesMax / MEGABYTE_BYTES };
  return { file, kind, objectUrl: URL.createObjectURL(file) };
}

/** Revokes the object URL of an attachment that is not sent. */
export const revokeAttachment = ({ objectUrl }: Attachment): void => URL.revokeObjectURL(objectUrl);

/** Returns pasted or dropped files. A copied image may have no name; then its type supplies the extension. */
export const filesIn = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].map((file) => {
    const [kind, extension] = file.type.split('/');
    return file.name === '' && kind === 'image' && extension
      ? new File([file], `picture.${extension}`, { type: file.type })
      : file;
  });

const detailOf = (failure: unknown): string | undefined => (failure instanceof ApiFailure ? failure.detail : undefined);

/**
 * Whether a message was refused because its file doesn't exist for the sender: the file expired or another sender
 * uploaded it.
 */
export const isFileGone = (failure: unknown): boolean => detailOf(failure) === 'NO_FILE';

/** Text of a failed message; for a file more precise than the text of its error code. */
export const sendFailureText = (failure: unknown): string =>
  // The file's content has a different type than its extension.
  detailOf(failure) === 'FILE_TYPE' ? i18n.t('chat:attach.notSupported') : failureText(failure);

/** Last segment of a path or URL, decoded; '' if there is none. */
export function fileName(path: string): string {
  const lastSegment =
    path
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(lastSegment);
  } catch {
    return lastSegment;
  }
}
