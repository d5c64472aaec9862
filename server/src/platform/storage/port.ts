import type { Readable } from 'node:stream';

/** Names an object: groups of `[a-z0-9-]`, an extension, at most 200 characters, for example `slip/0193….jpg`. */
export type ObjectKey = string;

/** `bytes`: how many the stream brings. */
export type StoredObject = { bytes: number; stream: Readable };

/** Bytes of an object, counted from 0, both ends included. */
export type ObjectPart = { from: number; to: number };

export type LinkOptions = {
  /** How long it works, from `since` on. */
  seconds: number;
  contentType: string;
  /** Left out: now. The same moment gives the same address. */
  since?: Date;
  /** Browsers may keep what they got this long; left out: they keep nothing. */
  keepSeconds?: number;
};

/** A folder of files. `id`: the same for all who see it. `place`: its host and path, for people. */
export type Folder = { id: string; place: string };

/**
 * Where files are kept: a folder of this machine, or a bucket. An object is there whole or not at all. What fails for
 * a reason that may pass (full disk, no connection) throws {@link StorageUnavailable}.
 */
export type ObjectStorage = {
  /** Resolves when the bytes would survive a power cut. Putting the same key again replaces it. */
  put(key: ObjectKey, bytes: Buffer, contentType: string): Promise<void>;
  /**
   * The object, or a part of it, which must begin before its end.
   * @returns undefined when there is no such object
   */
  get(key: ObjectKey, part?: ObjectPart): Promise<StoredObject | undefined>;
  /** One that isn't there is deleted already. */
  delete(key: ObjectKey): Promise<void>;
  /** An address of its own under which anybody can read it for a while; null where the storage has none. */
  link(key: ObjectKey, options: LinkOptions): Promise<string | null>;
  /** The folder that only those servers see which have its disk; undefined: a bucket, which all see. */
  folder(): Promise<Folder | undefined>;
  /** Removes what a killed process left half written; returns how many. */
  sweep(olderThanMs: number): Promise<number>;
};

/** Nothing is known to be wrong with the object: the storage could not be reached, or had no room. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

const KEY = /^(?:[a-z0-9-]+\/)+[a-z0-9-]+\.[a-z0-9]{3,4}$/;
const KEY_CHARACTERS_MAX = 200;

/** Throws for a key that could name anything but an object. */
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
