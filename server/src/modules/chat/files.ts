import { decodeExactly } from '../../platform/crypto/secret-box.ts';
import type { ByteRange, StoredObject } from '../../platform/storage/port.ts';
import type { ChatDeps } from './chat.ts';
import { findFile } from './queries.ts';

/** Type detected from the content; the file name and the client's content type are ignored. */
export type FileType = 'png' | 'jpg' | 'gif' | 'mp4' | 'mov';
export type FileKind = 'image' | 'video';

export const CONTENT_TYPES: Readonly<Record<FileType, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/** A file of a conversation. The app receives its key as `path`. */
export type ChatFile = { key: string; kind: FileKind; contentType: string; bytes: number };

const STORAGE_FOLDER = 'chat-file';
const STORAGE_KEY = /^chat-file\/[0-9a-f-]{36}\.(png|jpg|gif|mp4|mov)$/;

export const storageKey = (id: string, type: FileType): string => `${STORAGE_FOLDER}/${id}.${type}`;

/** Content type of a file by its storage key; undefined for any other key. */
export function contentTypeOf(key: string): string | undefined {
  const type = STORAGE_KEY.exec(key)?.[1] as FileType | undefined;
  return type && CONTENT_TYPES[type];
}

/** Hours in which a message can use an uploaded file, and after which an unused file is deleted. */
export const FILE_HOURS = { usable: 22, kept: 24 };

export type FileAddressDeps = Pick<ChatDeps, 'storage' | 'secretBox' | 'clock' | 'publicUrl'>;
type FileAccessDeps = Pick<ChatDeps, 'database'> & FileAddressDeps;

const SEAL_CONTEXT = 'chat-file';
const HOUR_MS = 60 * 60_000;
/** Browsers cache a file for as long as its address stays the same. */
const URL_CACHE_SECONDS = HOUR_MS / 1000;
/** Validity of an address in hours beyond the current one: for the customer, and for support. */
export const URL_VALID_HOURS = { customer: 1, backend: 24 } as const;

/**
 * Signed address of a file, valid for any reader for at least `hours`. The address changes once an hour, so that a
 * browser can use its cached file.
 * @returns '' when the key is no file of a conversation
 */
export async function fileUrl(deps: FileAddressDeps, key: string, hours: number): Promise<string> {
  const contentType = contentTypeOf(key);
  if (contentType === undefined) return '';
  const { storage, secretBox, clock, publicUrl } = deps;
  const hourStart = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
  const lifetimeSeconds = ((hours + 1) * HOUR_MS) / 1000;
  const storageUrl = await storage.link(key, {
    seconds: lifetimeSeconds,
    contentType,
    since: hourStart,
    keepSeconds: URL_CACHE_SECONDS,
  });
  if (storageUrl !== null) return storageUrl;
  const expiresAtSeconds = hourStart.getTime() / 1000 + lifetimeSeconds;
  return `${publicUrl}/api/chat-file/${secretBox.sealDeterministic(`${expiresAtSeconds} ${key}`, SEAL_CONTEXT).toString('base64url')}`;
}

/** File of a signed URL; undefined if the URL expired or is forged, or the file was deleted. */
export async function findFileByToken(
  { database, secretBox, clock }: FileAccessDeps,
  token: string,
): Promise<ChatFile | undefined> {
  const key = openToken({ secretBox, clock }, token);
  return key === undefined ? undefined : findFile(database, key);
}

function openToken(
  { secretBox, clock }: Pick<FileAccessDeps, 'secretBox' | 'clock'>,
  token: string,
): string | undefined {
  const sealed = decodeExactly(token, 'base64url');
  if (!sealed) return undefined;
  try {
    const [expiresAtSeconds, key] = secretBox.open(sealed, SEAL_CONTEXT).split(' ');
    return Number(expiresAtSeconds) * 1000 > clock.now().getTime() ? key : undefined;
  } catch {
    return undefined;
  }
}

const RANGE_HEADER = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Byte range of a `Range` header. 'whole' without a header or for an unsupported one; 'none' when the range is beyond
 * the end of the file.
 */
export function requestedRange(range: string | undefined, bytes: number): ByteRange | 'whole' | 'none' {
  const [, from = '', to = ''] = RANGE_HEADER.exec(range ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  const lastByte = bytes - 1;
  if (from === '') return Number(to) === 0 ? 'none' : { from: Math.max(0, bytes - Number(to)), to: lastByte };
  if (to !== '' && Number(to) < Number(from)) return 'whole';
  if (Number(from) > lastByte) return 'none';
  return { from: Number(from), to: to === '' ? lastByte : Math.min(Number(to), lastByte) };
}

/** Opens a file or a range of it in the storage. */
export async function openFile(
  { storage }: Pick<FileAccessDeps, 'storage'>,
  { key }: ChatFile,
  range: ByteRange | 'whole',
): Promise<StoredObject | undefined> {
  return range === 'whole' ? storage.get(key) : storage.get(key, range);
}
