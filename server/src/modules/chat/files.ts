import type { ByteRange, StoredObject } from '../../platform/storage/port.ts';
import type { ChatDeps } from './chat.ts';
import { findFile } from './queries.ts';

/** What a file turns out to be, whatever its name and its sender say. */
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

const FOLDER = 'chat-file';
const KEY = /^chat-file\/[0-9a-f-]{36}\.(png|jpg|gif|mp4|mov)$/;

export const storageKey = (id: string, type: FileType): string => `${FOLDER}/${id}.${type}`;

/** The content type of a file by its key; undefined for what is no file of a conversation. */
export function contentTypeOf(key: string): string | undefined {
  const type = KEY.exec(key)?.[1] as FileType | undefined;
  return type && CONTENT_TYPES[type];
}

/** How long a message may name a file for the first time, and how long one that none has named is kept. */
export const FILE_HOURS = { nameable: 22, kept: 24 };

export type FileAddressDeps = Pick<ChatDeps, 'storage' | 'secretBox' | 'clock' | 'publicUrl'>;
type ShowDeps = Pick<ChatDeps, 'database'> & FileAddressDeps;

const CONTEXT = 'chat-file';
const HOUR_MS = 60 * 60_000;
/** Browsers keep what they got for as long as the address stays the same. */
const KEEP_SECONDS = HOUR_MS / 1000;
/** How many hours beyond the current one an address is valid: for the customer, and for support. */
export const SHOWN_HOURS = { customer: 1, backend: 24 } as const;

/**
 * A temporary address of a file, valid for any reader for at least `hours`. Within an hour it is the same address, so
 * that a browser with a cached file doesn't fetch it again.
 * @returns '' for what is no file of a conversation
 */
export async function fileUrl(deps: FileAddressDeps, key: string, hours: number): Promise<string> {
  const contentType = contentTypeOf(key);
  if (contentType === undefined) return '';
  const { storage, secretBox, clock, publicUrl } = deps;
  const since = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
  const seconds = ((hours + 1) * HOUR_MS) / 1000;
  const own = await storage.link(key, { seconds, contentType, since, keepSeconds: KEEP_SECONDS });
  if (own !== null) return own;
  const endsAt = since.getTime() / 1000 + seconds;
  return `${publicUrl}/api/chat-file/${secretBox.sealDeterministic(`${endsAt} ${key}`, CONTEXT).toString('base64url')}`;
}

/** File of a signed URL; undefined if the URL expired or is forged, or the file is gone. */
export async function findShown(
  { database, secretBox, clock }: ShowDeps,
  token: string,
): Promise<ChatFile | undefined> {
  const key = unseal({ secretBox, clock }, token);
  return key === undefined ? undefined : findFile(database, key);
}

function unseal({ secretBox, clock }: Pick<ShowDeps, 'secretBox' | 'clock'>, token: string): string | undefined {
  try {
    const [endsAt, key] = secretBox.open(Buffer.from(token, 'base64url'), CONTEXT).split(' ');
    return Number(endsAt) * 1000 > clock.now().getTime() ? key : undefined;
  } catch {
    return undefined;
  }
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * What part of a file a `Range` header asks for: the whole when it asks for none, or in a way that needn't be understood;
 * 'none' when there is no such part.
 */
export function requestedRange(range: string | undefined, bytes: number): ByteRange | 'whole' | 'none' {
  const [, from = '', to = ''] = RANGE.exec(range ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  const last = bytes - 1;
  if (from === '') return Number(to) === 0 ? 'none' : { from: Math.max(0, bytes - Number(to)), to: last };
  if (to !== '' && Number(to) < Number(from)) return 'whole';
  if (Number(from) > last) return 'none';
  return { from: Number(from), to: to === '' ? last : Math.min(Number(to), last) };
}

/** Opens what is shown of a file. */
export async function openShown(
  { storage }: Pick<ShowDeps, 'storage'>,
  { key }: ChatFile,
  part: ByteRange | 'whole',
): Promise<StoredObject | undefined> {
  return part === 'whole' ? storage.get(key) : storage.get(key, part);
}
