import type { Readable } from 'node:stream';

/** Names an object: groups of `[a-z0-9-]`, an extension, at most 200 characters, for example `slip/0193….jpg`. */
export type ObjectKey = string;

/** `bytes`: length of the stream. */
export type StoredObject = { bytes: number; stream: Readable };

/** Bytes of an object, counted from 0, both ends included. */
export type ObjectPart = { from: number; to: number };

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
  get(key: ObjectKey, part?: ObjectPart): Promise<StoredObject | undefined>;
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
