import { CHAT_EXTENSIONS, CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { IMAGE_HEAD_BYTES, imageFormatOf } from '@krapao/contract/input/image';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { i18n } from '../../i18n/i18n.ts';
import { isDecodable } from '../../shared/image-file.ts';

export type AttachmentKind = 'image' | 'video';

/** A chosen file that can be sent. The last user of `objectUrl` must revoke it. */
export type Attachment = { file: File; kind: AttachmentKind; objectUrl: string };

/** Why a file can't be sent; `key` is the key of the phrase. */
export type AttachmentError = { key: 'attach.notSupported' } | { key: 'attach.tooLarge'; n: number };

const MEGABYTE_BYTES = 1024 * 1024;

/**
 * File types for the picker; the bytes are checked later. MIME types make phones open the photo library; with extensions
 * alone they would open a file list. Without HEIC, iPhones convert such photos to JPEG.
 */
export const ACCEPTED_FILE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/quicktime',
]
  .concat(Object.values(CHAT_EXTENSIONS).flatMap((extensions) => extensions.map((extension) => `.${extension}`)))
  .join(',');

/** A box of MP4 and QuickTime at the beginning of a file: its type, and the brand if the type is `ftyp`. */
const FIRST_BOX = /^[^]{4}(ftyp|moov|mdat|free|skip|wide|pnot)([^]{0,4})/;
/** Brands of pictures and sound in the same container. */
const OTHER_BRAND = /^(?:avi[fs]|he[iv][cfmsx]|mif[12]|msf1|M4[AB] )/;

/** Kind of a file by its bytes: cameras and other apps name files as they like. */
async function attachmentKindOf(file: File): Promise<AttachmentKind | undefined> {
  const head = new Uint8Array(await file.slice(0, IMAGE_HEAD_BYTES).arrayBuffer());
  if (imageFormatOf(head)) return 'image';
  const [, type, brand = ''] = FIRST_BOX.exec(String.fromCharCode(...head)) ?? [];
  if (type !== undefined && !OTHER_BRAND.test(brand)) return 'video';
  // Other pictures, such as HEIC, are redrawn where the browser can.
  return (await isDecodable(file)) ? 'image' : undefined;
}

/** Creates an attachment from a picture or video of an accepted size; an empty or unreadable file is refused. */
export async function createAttachment(file: File): Promise<Attachment | AttachmentError> {
  const kind = await attachmentKindOf(file).catch(() => undefined);
  if (!kind) return { key: 'attach.notSupported' };
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
