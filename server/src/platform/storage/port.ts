import type { Readable } from 'node:stream';
import type { JobLog } from '../jobs/job.ts';

/** Key of an object: groups of `[a-z0-9-]`, an extension, at most 200 characters, for example `slip/0193….jpg`. */
export type ObjectKey = string;

/** `bytes`: length of the stream. */
export type StoredObject = { bytes: number; stream: Readable };

/** Byte positions of an object, from 0, both inclusive. */
export type ByteRange = { from: number; to: number };

export type LinkOptions = {
  /** Validity in seconds, from `since` on. */
  seconds: number;
  contentType: string;
  /** Default: now. The same time gives the same URL. */
  since?: Date;
  /** Cache time for browsers; default: none. */
  keepSeconds?: number;
};

/** A folder of files. `id`: the same for all servers that see the folder. `place`: its host and path, for people. */
export type Folder = { id: string; place: string };

/**
 * File storage: a folder of this machine, or a bucket. Objects are written atomically. A temporary failure (full disk,
 * no connection) throws {@link StorageUnavailable}.
 */
export type ObjectStorage = {
  /** Resolves when the bytes are durable (survive a power cut). Putting the same key again replaces the object. */
  put(key: ObjectKey, bytes: Buffer, contentType: string): Promise<void>;
  /**
   * Reads an object or a range of it, which must begin before the end of the object.
   * @returns undefined when there is no such object
   */
  get(key: ObjectKey, part?: ByteRange): Promise<StoredObject | undefined>;
  /** Deleting an object that doesn't exist succeeds. */
  delete(key: ObjectKey): Promise<void>;
  /** A temporary URL at which anyone can read the object; null if the storage has none. */
  link(key: ObjectKey, options: LinkOptions): Promise<string | null>;
  /** The folder, which only servers with access to its disk see; undefined for a bucket, which all see. */
  folder(): Promise<Folder | undefined>;
  /** Removes files that a killed process left incomplete; returns their number. */
  sweep(olderThanMs: number): Promise<number>;
};

/** The storage was unreachable or full; the state of the object is unknown. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

const KEY_FORMAT = /^(?:[a-z0-9-]+\/)+[a-z0-9-]+\.[a-z0-9]{3,4}$/;
const KEY_CHARACTERS_MAX = 200;

/** Throws for a key that is not the key of an object. */
export function assertKey(key: ObjectKey): void {
  if (key.length > KEY_CHARACTERS_MAX || !KEY_FORMAT.test(key)) throw new Error('not the key of an object');
}

/** Reads a whole object. Throws when it has more than `bytesMax`. */
export async function readAll({ stream, bytes }: StoredObject, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > bytesMax) throw new RangeError(`an object of more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new StorageUnavailable('an object broke off', { cause: error });
  }
  if (size !== bytes) throw new StorageUnavailable('an object broke off');
  return Buffer.concat(chunks);
}

export type Sweep = {
  storage: Pick<ObjectStorage, 'delete'>;
  /** Keys of objects that are no longer needed, oldest first, skipping the first `passedOver`. */
  select: (limit: number, passedOver: number) => Promise<ObjectKey[]>;
  /** Deletes the row of a deleted object. */
  forget: (key: ObjectKey) => Promise<void>;
  log: JobLog;
  signal: AbortSignal;
};

const BATCH_SIZE = 200;
const ROUNDS_MAX = 50;

/**
 * Removes objects that are no longer needed. An object that the storage fails to delete stays for the next run and does
 * not delay the others.
 */
export async function sweepObjects({ storage, select, forget, log, signal }: Sweep): Promise<void> {
  for (let round = 0, passedOver = 0; round < ROUNDS_MAX; round += 1) {
    const keys = await select(BATCH_SIZE, passedOver);
    const failedDeletions = new Map<ObjectKey, unknown>();
    for (const key of keys) {
      if (signal.aborted) return;
      try {
        // Deletes the object before its row: after a crash in between, the row still leads to the object.
        await storage.delete(key);
        await forget(key);
      } catch (error) {
        failedDeletions.set(key, error);
      }
    }
    const [firstError] = failedDeletions.values();
    if (failedDeletions.size > 0)
      log.error({ err: firstError, keys: [...failedDeletions.keys()] }, 'expired objects not deleted');
    if (keys.length < BATCH_SIZE) return;
    passedOver += failedDeletions.size;
  }
}
