import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import { imageFormatOf } from '@krapao/contract/input/image';
import { Refusal } from '../../platform/errors.ts';
import type { Customer } from '../../platform/http/caller.ts';
import { NoUploadSlot, type UploadAdmission, type UploadSlot } from '../../platform/http/upload-admission.ts';
import { UploadFailed, type UploadError } from '../../platform/http/upload.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { PoolFull, WorkerDied } from '../../platform/jobs/worker-pool.ts';
import { StorageUnavailable, sweepObjects } from '../../platform/storage/port.ts';
import { countHits, countShared } from '../operator-data/index.ts';
import type { ChatDeps } from './chat.ts';
import { type ChatFile, CONTENT_TYPES, FILE_HOURS, type FileKind, type FileType, storageKey } from './files.ts';
import { deleteFile, insertFile, selectUnusedFileKeys, ensureConversation } from './queries.ts';
import { clearVideoMetadata, readVideo } from './read-video.ts';

export type FileUpload = {
  customer: Customer;
  kind: FileKind;
  /** Address group by which rate limits are counted. */
  group: string;
  /** Reads the file, up to this many bytes; throws UploadFailed, NoUploadSlot. */
  receive: (bytesMax: number, slot: UploadSlot) => Promise<Buffer>;
};

/**
 * Receives a file for a message. All checks that don't need its content come first. On return the file is stored and
 * has a row. A message must use the file within {@link FILE_HOURS}.
 * @throws {Refusal} NO_DATA, REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function uploadFile(deps: ChatDeps, admit: UploadAdmission, upload: FileUpload): Promise<ChatFile> {
  const { kind, customer, group } = upload;
  try {
    return await admit({ kind: customer.kind, id: customer.id, group }, async (slot) => {
      // Counted only with a slot: retries while waiting for one do not use up the daily quota.
      await countUpload(deps, upload);
      const receivedFile = await upload.receive(CHAT_FILE_BYTES_MAX[kind], slot);
      const { type, bytes } = kind === 'image' ? await processImage(deps, receivedFile) : processVideo(receivedFile);
      return storeFile(deps, { customer, kind, type, bytes });
    });
  } catch (error) {
    if (error instanceof UploadFailed) throw toRefusal(error);
    if (error instanceof NoUploadSlot) throw uploadsBusyRefusal(error);
    throw error;
  }
}

async function countUpload(deps: ChatDeps, { customer, group }: FileUpload): Promise<void> {
  const callerKey = `${customer.kind}:${customer.id}`;
  if (customer.kind === 'member') {
    const memberLimits = ['chat.file.customer', 'chat.file.customer.day'] as const;
    return countShared(deps, { own: memberLimits, callerKey, shared: 'chat.file.address', group });
  }
  return countHits(
    deps,
    ['chat.file.address', group],
    ['chat.file.customer', callerKey],
    ['chat.file.customer.day', callerKey],
    // Visitor ids and addresses are cheap to get, so one shared limit protects the disk.
    ['chat.file.visitors.day'],
  );
}

type ProcessedFile = { type: FileType; bytes: Buffer };

const unsupportedFile = (): Refusal => new Refusal('NO_DATA', { detail: 'FILE_TYPE', status: 400 });
const temporaryRefusal = (detail: string, retryAfterSeconds: number, cause?: unknown): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail, status: 503, retryAfterSeconds, cause });

/** Re-encodes an image, which removes metadata and hidden data. */
async function processImage({ imagePool, log }: ChatDeps, file: Buffer): Promise<ProcessedFile> {
  const type = imageFormatOf(file);
  if (!type) throw unsupportedFile();
  try {
    const reencoded = await imagePool.run({ file, type });
    if (reencoded.outcome === 'unreadable') throw unsupportedFile();
    return {
      type: reencoded.type,
      bytes: Buffer.from(reencoded.bytes.buffer, reencoded.bytes.byteOffset, reencoded.bytes.length),
    };
  } catch (error) {
    if (!(error instanceof PoolFull || error instanceof WorkerDied)) throw error;
    log.warn({ err: error }, 'chat image not re-encoded');
    throw temporaryRefusal('BUSY', 10, error);
  }
}

/** Keeps a video unchanged, except for author metadata and bytes after its end. */
function processVideo(file: Buffer): ProcessedFile {
  const video = readVideo(file);
  if (!video) throw unsupportedFile();
  clearVideoMetadata(video.bytes);
  return video;
}

// The key is committed before the object is written, so that the sweep finds the object after a crash. The path is
// returned when both exist.
async function storeFile(
  { database, storage, clock, log }: ChatDeps,
  { customer, kind, type, bytes }: ProcessedFile & { customer: Customer; kind: FileKind },
): Promise<ChatFile> {
  const file = {
    key: storageKey(uuidV7(clock.now()), type),
    kind,
    contentType: CONTENT_TYPES[type],
    bytes: bytes.length,
  };
  const conversationId = await ensureConversation(database, uuidV7(clock.now()), customer);
  await insertFile(database, conversationId, file);
  try {
    await storage.put(file.key, bytes, file.contentType);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    log.error({ err: error }, 'chat file not stored');
    throw temporaryRefusal('STORAGE', 30, error);
  }
  return file;
}

const INVALID_UPLOAD_DETAILS = {
  NO_FILE: 'FILE_MISSING',
  MALFORMED: 'MALFORMED',
  SEVERAL: 'ONE_FILE',
  TOO_LARGE: 'FILE_TOO_LARGE',
} as const;
const UNFINISHED_UPLOAD_DETAILS = { TOO_SLOW: 'TOO_SLOW', BROKEN_OFF: 'BROKEN_OFF' } as const;

const isInvalidUpload = (uploadError: UploadError): uploadError is keyof typeof INVALID_UPLOAD_DETAILS =>
  uploadError in INVALID_UPLOAD_DETAILS;

function toRefusal(error: UploadFailed): Refusal {
  const { fault: uploadError } = error;
  if (isInvalidUpload(uploadError))
    return new Refusal('NO_DATA', { detail: INVALID_UPLOAD_DETAILS[uploadError], status: 400, cause: error });
  return temporaryRefusal(UNFINISHED_UPLOAD_DETAILS[uploadError], 5, error);
}

function uploadsBusyRefusal(error: NoUploadSlot): Refusal {
  if (error.why === 'ALL') return temporaryRefusal('BUSY', 5, error);
  return new Refusal('REQUEST_LIMIT', { detail: 'UPLOADS_AT_ONCE', retryAfterSeconds: 5, cause: error });
}

/** Deletes files that no message has used in time: unsent ones, and leftovers of a crash. */
export function sweepFiles(
  { database, storage, log }: Pick<ChatDeps, 'database' | 'storage' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  return sweepObjects({
    storage,
    select: (limit, offset) => selectUnusedFileKeys(database, FILE_HOURS.kept, { limit, offset }),
    forget: (key) => deleteFile(database, key),
    log,
    signal,
  });
}
