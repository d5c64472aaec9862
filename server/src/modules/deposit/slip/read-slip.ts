import { uuidV7 } from '../../../platform/ids.ts';
import { backoffMs } from '../../../platform/jobs/resolver.ts';
import { PoolFull, WorkerDied } from '../../../platform/jobs/worker-pool.ts';
import { readAll, StorageUnavailable } from '../../../platform/storage/port.ts';
import { deleteFile, insertFile, markManual, markSlipRead, markUnreadable, postpone } from './queries.ts';
import type { ImageReading } from './read-image.ts';
import { refuseSlip } from './settle-slip.ts';
import { type Slip, TRIES_MAX, type SlipDeps } from './slip.ts';

const UPLOAD_BYTES_MAX = 16 * 1024 * 1024;
/** A file that has crashed its reader this often is left to an operator. */
const READER_DEATHS_MAX = 3;
const POOL_FULL_DELAY_MS = 500;

/**
 * Reads the file of a slip. Stores the identified transfer and a re-encoded image, and deletes the file. Safe to repeat
 * after a crash at any point.
 */
export async function readSlip(deps: SlipDeps, slip: Slip): Promise<void> {
  try {
    const bytes = await loadUpload(deps, slip);
    if (!bytes) return await reportMissing(deps, slip);
    const reading = await deps.reader.run(bytes);
    await storeReading(deps, slip, reading);
  } catch (error) {
    await retryLater(deps, slip, error);
  }
}

// The file is lost only if it is missing in its own folder. A file in another server's folder is left to an operator.
async function reportMissing(deps: SlipDeps, slip: Slip): Promise<void> {
  const { database, storage, log } = deps;
  const { id, folderId, reference } = slip;
  if (folderId === null || folderId === (await storage.folder())?.id) {
    const reason = 'UPLOADED_FILE_NOT_EXIST';
    await refuseSlip(deps, slip, reason, (tx) => markUnreadable(tx, id, null, reason));
    return;
  }
  log.error({ reference, folder: folderId }, 'slip file is in the folder of an absent server');
  await markManual(database, id, 'STORAGE');
}

async function loadUpload({ storage }: SlipDeps, { uploadKey }: Slip): Promise<Uint8Array | undefined> {
  const object = uploadKey === null ? undefined : await storage.get(uploadKey);
  return object && readAll(object, UPLOAD_BYTES_MAX);
}

async function storeReading(deps: SlipDeps, slip: Slip, { image, code, reason }: ImageReading): Promise<void> {
  const { database } = deps;
  const imageKey = image ? await storeImage(deps, image) : null;
  if (code === undefined) await refuseSlip(deps, slip, reason, (tx) => markUnreadable(tx, slip.id, imageKey, reason));
  else if (code.kind === 'bank' && imageKey !== null) {
    await markSlipRead(database, slip.id, { imageKey, sendingBank: code.sendingBank, transRef: code.transRef });
  } else {
    // A wallet app slip was not sent from the member's registered bank account.
    await refuseSlip(deps, slip, 'NOT_MATCH', (tx) => markUnreadable(tx, slip.id, imageKey, 'NOT_MATCH'));
  }
  if (slip.uploadKey !== null) await deleteUpload(deps, slip.uploadKey);
}

async function storeImage({ database, storage, clock }: SlipDeps, image: Uint8Array): Promise<string> {
  const key = `slip-picture/${uuidV7(clock.now())}.jpg`;
  await insertFile(database, key);
  await storage.put(key, Buffer.from(image), 'image/jpeg');
  return key;
}

// No row refers to the upload any more; if deleting fails, the sweep deletes it.
async function deleteUpload({ database, storage, log }: SlipDeps, key: string): Promise<void> {
  try {
    await storage.delete(key);
    await deleteFile(database, key);
  } catch (error) {
    log.warn({ err: error }, 'slip file not deleted after reading');
  }
}

async function retryLater({ database, log }: SlipDeps, slip: Slip, error: unknown): Promise<void> {
  if (error instanceof PoolFull) {
    await postpone(database, slip.id, { inMs: POOL_FULL_DELAY_MS, isUncounted: true });
    return;
  }
  const hasReaderDied = error instanceof WorkerDied;
  if (!hasReaderDied && !(error instanceof StorageUnavailable)) throw error;
  log.warn({ err: error, reference: slip.reference }, 'reading a slip postponed');
  if (slip.tries < (hasReaderDied ? READER_DEATHS_MAX : TRIES_MAX)) {
    await postpone(database, slip.id, { inMs: backoffMs(slip.tries) });
    return;
  }
  log.error({ reference: slip.reference }, 'slip unreadable after the last attempt');
  await markManual(database, slip.id, hasReaderDied ? 'READER' : 'STORAGE');
}
