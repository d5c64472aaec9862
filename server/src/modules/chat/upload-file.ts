import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { imageFormatOf } from '@krapao/contract/input/image';
import type { Customer } from '../../platform/http/caller.ts';
import { UploadFailed, type UploadError } from '../../platform/http/upload.ts';
import { NoUploadSlot, type UploadAdmission, type UploadSlot } from '../../platform/http/upload-admission.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { StorageUnavailable, sweepObjects } from '../../platform/storage/port.ts';
import { Refusal } from '../../platform/errors.ts';
import { PoolFull, WorkerDied } from '../../platform/jobs/worker-pool.ts';
import { countHits, countShared } from '../lookup/index.ts';
import type { ChatDeps } from './chat.ts';
import { type ChatFile, CONTENT_TYPES, FILE_HOURS, type FileKind, type FileType, storageKey } from './files.ts';
import { deleteFile, insertFile, selectUnused, openConversation } from './queries.ts';
import { stripVideoMetadata, readVideo } from './read-video.ts';

export type FileUpload = {
  customer: Customer;
  kind: FileKind;
  /** What the limits of an address are counted by. */
  group: string;
  /** Reads the file, at most this many bytes of it; throws UploadFailed, NoUploadSlot. */
  receive: (bytesMax: number, slot: UploadSlot) => Promise<Buffer>;
};

/**
 * Receives a file for a message. All checks that don't need its content come first. A returned path is stored and has
 * its row; a message must use it within a day.
 * @throws {Refusal} NO_DATA, REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function uploadFile(deps: ChatDeps, admit: UploadAdmission, upload: FileUpload): Promise<ChatFile> {
  const { kind, customer, group } = upload;
  try {
    return await admit({ kind: customer.kind, id: customer.id, group }, async (slot) => {
      // Counted only with a slot: retries while waiting for one do not use up the daily quota.
      await countUpload(deps, upload);
      const sent = await upload.receive(CHAT_FILE_BYTES_MAX[kind], slot);
      const { type, bytes } = kind === 'image' ? await takeImage(deps, sent) : takeVideo(sent);
      return keep(deps, { customer, kind, type, bytes });
    });
  } catch (error) {
    if (error instanceof UploadFailed) throw refusalOf(error);
    if (error instanceof NoUploadSlot) throw tooMany(error);
    throw error;
  }
}

async function countUpload(deps: ChatDeps, { customer, group }: FileUpload): Promise<void> {
  const whom = `${customer.kind}:${customer.id}`;
  if (customer.kind === 'member') {
    const own = ['chat.file.customer', 'chat.file.customer.day'] as const;
    return countShared(deps, { own, whom, shared: 'chat.file.address', group });
  }
  return countHits(
    deps,
    ['chat.file.address', group],
    ['chat.file.customer', whom],
    ['chat.file.customer.day', whom],
    // Anyone is as many visitors as they like, from as many addresses as they have; what a disk holds is one for all.
    ['chat.file.visitors.day'],
  );
}

type Taken = { type: FileType; bytes: Buffer };

const notSupported = (): Refusal => new Refusal('NO_DATA', { detail: 'FILE_TYPE', status: 400 });
const later = (detail: string, retryAfterSeconds: number, cause?: unknown): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail, status: 503, retryAfterSeconds, cause });

/** A re-encoded image: neither metadata nor hidden data of the file is kept. */
async function takeImage({ drawer, log }: ChatDeps, file: Buffer): Promise<Taken> {
  const type = imageFormatOf(file);
  if (!type) throw notSupported();
  try {
    const drawing = await drawer.run({ file, type });
    if (drawing.outcome === 'unreadable') throw notSupported();
    return {
      type: drawing.type,
      bytes: Buffer.from(drawing.bytes.buffer, drawing.bytes.byteOffset, drawing.bytes.length),
    };
  } catch (error) {
    if (!(error instanceof PoolFull || error instanceof WorkerDied)) throw error;
    log.warn({ err: error }, 'an image could not be drawn');
    throw later('BUSY', 10, error);
  }
}

/** A video is stored unchanged, except for metadata about its author and bytes that follow it. */
function takeVideo(file: Buffer): Taken {
  const video = readVideo(file);
  if (!video) throw notSupported();
  stripVideoMetadata(video.bytes);
  return video;
}

// The key of the object is committed before the object is written: after a crash in between the sweeper finds it. A
// path is returned when both exist.
async function keep(
  { database, storage, clock, log }: ChatDeps,
  { customer, kind, type, bytes }: Taken & { customer: Customer; kind: FileKind },
): Promise<ChatFile> {
  const file = {
    key: storageKey(uuidV7(clock.now()), type),
    kind,
    contentType: CONTENT_TYPES[type],
    bytes: bytes.length,
  };
  const conversationId = await openConversation(database, uuidV7(clock.now()), customer);
  await insertFile(database, conversationId, file);
  try {
    await storage.put(file.key, bytes, file.contentType);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    log.error({ err: error }, 'a file of the chat could not be stored');
    throw later('STORAGE', 30, error);
  }
  return file;
}

const WRONG = {
  NO_FILE: 'FILE_MISSING',
  MALFORMED: 'MALFORMED',
  SEVERAL: 'ONE_FILE',
  TOO_LARGE: 'FILE_TOO_LARGE',
} as const;
const UNFINISHED = { TOO_SLOW: 'TOO_SLOW', BROKEN_OFF: 'BROKEN_OFF' } as const;

const isWrong = (fault: UploadError): fault is keyof typeof WRONG => fault in WRONG;

function refusalOf(error: UploadFailed): Refusal {
  const { fault } = error;
  if (isWrong(fault)) return new Refusal('NO_DATA', { detail: WRONG[fault], status: 400, cause: error });
  return later(UNFINISHED[fault], 5, error);
}

function tooMany(error: NoUploadSlot): Refusal {
  if (error.why === 'ALL') return later('BUSY', 5, error);
  return new Refusal('REQUEST_LIMIT', { detail: 'UPLOADS_AT_ONCE', retryAfterSeconds: 5, cause: error });
}

/** Removes files that no message has named in time: unsent ones, and what a crash has left. */
export function sweepFiles(
  { database, storage, log }: Pick<ChatDeps, 'database' | 'storage' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  return sweepObjects({
    storage,
    select: (limit, passedOver) => selectUnused(database, FILE_HOURS.kept, { limit, passedOver }),
    forget: (key) => deleteFile(database, key),
    log,
    signal,
  });
}
