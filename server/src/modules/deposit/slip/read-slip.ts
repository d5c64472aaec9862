import { uuidV7 } from '../../../platform/ids.ts';
import { readAll, StorageUnavailable } from '../../../platform/storage/port.ts';
import { PoolFull, WorkerDied } from '../../../platform/jobs/worker-pool.ts';
import { backoffMs } from '../../../platform/jobs/resolver.ts';
import { deleteFile, insertFile, markManual, markRead, markUnreadable, postpone } from './queries.ts';
import type { ImageReading } from './read-image.ts';
import { type Slip, TRIES_MAX, type SlipDeps } from './slip.ts';

const BYTES_MAX = 16 * 1024 * 1024;
/** A file that kills its reader this often will always do so. */
const DEATHS_MAX = 3;
const POOL_PAUSE_MS = 500;

/**
 * Reads the file of a slip: what it names is kept, and a re-encoded picture; the file itself is released.
 * May be done again after a crash at any point.
 */
export async function readSlip(deps: SlipDeps, slip: Slip): Promise<void> {
  try {
    const bytes = await uploaded(deps, slip);
    if (!bytes) return await tellMissing(deps, slip);
    const reading = await deps.reader.run(bytes);
    await keepReading(deps, slip, reading);
  } catch (error) {
    await tryAgain(deps, slip, error);
  }
}

// Lost is what is missing where it was stored. In another folder it may be there all the same: an operator asks its server.
async function tellMissing({ database, storage, log }: SlipDeps, { id, folderId, reference }: Slip): Promise<void> {
  if (folderId === null || folderId === (await storage.folder())?.id) {
    await markUnreadable(database, id, null, 'UPLOADED_FILE_NOT_EXIST');
    return;
  }
  log.error(
    { reference, folder: folderId },
    'the server that has the file of a slip is not there: a slip waits for an operator',
  );
  await markManual(database, id, 'STORAGE');
}

async function uploaded({ storage }: SlipDeps, { uploadKey }: Slip): Promise<Uint8Array | undefined> {
  const object = uploadKey === null ? undefined : await storage.get(uploadKey);
  return object && readAll(object, BYTES_MAX);
}

async function keepReading(deps: SlipDeps, slip: Slip, { picture, code, reason }: ImageReading): Promise<void> {
  const { database } = deps;
  const pictureKey = picture ? await keepPicture(deps, picture) : null;
  if (code === undefined) await markUnreadable(database, slip.id, pictureKey, reason);
  else if (code.kind === 'bank' && pictureKey !== null) {
    await markRead(database, slip.id, { pictureKey, sendingBank: code.sendingBank, transRef: code.transRef });
  } else {
    // Of the wallet app: it was not sent from the bank account that the member registered.
    await markUnreadable(database, slip.id, pictureKey, 'NOT_MATCH');
  }
  if (slip.uploadKey !== null) await letGo(deps, slip.uploadKey);
}

async function keepPicture({ database, storage, clock }: SlipDeps, picture: Uint8Array): Promise<string> {
  const key = `slip-picture/${uuidV7(clock.now())}.jpg`;
  await insertFile(database, key);
  await storage.put(key, Buffer.from(picture), 'image/jpeg');
  return key;
}

// The row does not name it any more. If it can't be deleted now the sweeper does it.
async function letGo({ database, storage, log }: SlipDeps, key: string): Promise<void> {
  try {
    await storage.delete(key);
    await deleteFile(database, key);
  } catch (error) {
    log.warn({ err: error }, 'a file that has been read is left to the sweeper');
  }
}

async function tryAgain({ database, log }: SlipDeps, slip: Slip, error: unknown): Promise<void> {
  if (error instanceof PoolFull) {
    await postpone(database, slip.id, { inMs: POOL_PAUSE_MS, isUncounted: true });
    return;
  }
  const isDeath = error instanceof WorkerDied;
  if (!isDeath && !(error instanceof StorageUnavailable)) throw error;
  log.warn({ err: error, reference: slip.reference }, 'a slip could not be read yet');
  if (slip.tries < (isDeath ? DEATHS_MAX : TRIES_MAX)) {
    await postpone(database, slip.id, { inMs: backoffMs(slip.tries) });
    return;
  }
  log.error({ reference: slip.reference }, 'a slip that can not be read waits for an operator');
  await markManual(database, slip.id, isDeath ? 'READER' : 'STORAGE');
}
