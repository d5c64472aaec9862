import type { Readable } from 'node:stream';
import type { JobLog } from '../jobs/job.ts';

/** Names an object: groups of `[a-z0-9-]`, an extension, at most 200 characters, for example `slip/0193….jpg`. */
export type ObjectKey = string;

/** `bytes`: length of the stream. */
export type StoredObject = { bytes: number; stream: Readable };

/** Bytes of an object, counted from 0, both ends included. */
export type ByteRange = { from: number; to: number };

export type LinkOptions = {
  /** How long it is valid, from `since` on. */
  seconds: number;
  contentType: string;
  /** Left out: now. The same moment gives the same address. */
  since?: Date;
  /** How long browsers may cache it; left out: not at all. */
  keepSeconds?: number;
};

/** A folder of files. `id`: the same for all servers that see it. `place`: its host and path, for people. */
export type Folder = { id: string; place: string };

/**
 * File storage: a folder of this machine, or a bucket. Objects are written atomically. A temporary failure (full disk,
 * no connection) throws {@link StorageUnavailable}.
 */
export type ObjectStorage = {
  /** Resolves when the bytes are durable (survive a power cut). Putting the same key again replaces the object. */
  put(key: ObjectKey, bytes: Buffer, contentType: string): Promise<void>;
  /**
   * The object, or a part of it, which must begin before its end.
   * @returns undefined when there is no such object
   */
  get(key: ObjectKey, part?: ByteRange): Promise<StoredObject | undefined>;
  /** Deleting an object that doesn't exist succeeds. */
  delete(key: ObjectKey): Promise<void>;
  /** A temporary address under which anyone can read it; null where the storage has none. */
  link(key: ObjectKey, options: LinkOptions): Promise<string | null>;
  /** The folder, which only servers with access to its disk see; undefined: a bucket, which all see. */
  folder(): Promise<Folder | undefined>;
  /** Removes files that a killed process left half written; returns how many. */
  sweep(olderThanMs: number): Promise<number>;
};

/** The storage could not be reached, or had no room; nothing is known about the object. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

const KEY = /^(?:[a-z0-9-]+\/)+[a-z0-9-]+\.[a-z0-9]{3,4}$/;
const KEY_CHARACTERS_MAX = 200;

/** Throws for a key that is not the key of an object. */
export function assertKey(key: ObjectKey): void {
  if (key.length > KEY_CHARACTERS_MAX || !KEY.test(key)) throw new Error('not the key of an object');
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
  /** Keys of objects that are no longer needed, the oldest first, after the first `passedOver` of them. */
  select: (limit: number, passedOver: number) => Promise<ObjectKey[]>;
  /** Deletes the row of a deleted object. */
  forget: (key: ObjectKey) => Promise<void>;
  log: JobLog;
  signal: AbortSignal;
};

const AT_ONCE = 200;
const ROUNDS_MAX = 50;

/**
 * Removes objects that are no longer needed. An object that the storage fails to delete is left for the next run and
 * does not hold up the others.
 */
export async function sweepObjects({ storage, select, forget, log, signal }: Sweep): Promise<void> {
  for (let round = 0, passedOver = 0; round < ROUNDS_MAX; round += 1) {
    const keys = await select(AT_ONCE, passedOver);
    const left = new Map<ObjectKey, unknown>();
    for (const key of keys) {
      if (signal.aborted) return;
      try {
        // The object first: after a crash in between, its row leads to it again.
        await storage.delete(key);
        await forget(key);
      } catch (error) {
        left.set(key, error);
      }
    }
    const [first] = left.values();
    if (left.size > 0) log.error({ err: first, keys: [...left.keys()] }, 'objects could not be removed');
    if (keys.length < AT_ONCE) return;
    passedOver += left.size;
  }
}
