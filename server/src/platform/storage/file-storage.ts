import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import { newToken } from '../ids.ts';
import { type Job, startPeriodicJob } from '../jobs/job.ts';
import type { Clock } from '../time.ts';
import { assertKey, type ObjectStorage, StorageUnavailable } from './port.ts';

/** Folder of half-written files, on the same disk as the others, so that a rename publishes a file atomically. */
const INCOMING_FOLDER = 'incoming';
const MISSING_CODE = 'ENOENT';
const EXISTS_CODE = 'EEXIST';
/** File with the id of the folder, the same for every server that sees the folder. */
const ID_FILE = 'folder-id';

/**
 * Stores files below a folder. Each is written to `incoming`, flushed to the disk, then renamed, and the folder is
 * flushed too. After a kill or on a full disk only a file in `incoming` remains, which a sweep removes.
 */
export function fileStorage(directory: string, clock: Clock): ObjectStorage {
  const objectPath = (key: string) => {
    assertKey(key);
    return join(directory, key);
  };
  let folderId: string | undefined;
  return {
    async put(key, bytes) {
      const path = objectPath(key);
      const incomingPath = join(directory, INCOMING_FOLDER, newToken());
      try {
        await makeDirectory(directory, INCOMING_FOLDER);
        await makeDirectory(directory, dirname(key));
        await writeThrough(incomingPath, bytes);
        await rename(incomingPath, path);
        await flushDirectory(dirname(path));
      } catch (error) {
        await rm(incomingPath, { force: true }).catch(() => {});
        throw new StorageUnavailable(`could not be written: ${errorCode(error)}`, { cause: error });
      }
    },
    async get(key, range) {
      const file = await openIfExists(objectPath(key));
      if (!file) return undefined;
      const { size } = await file.stat();
      const start = range?.from ?? 0;
      const end = Math.min(range?.to ?? size, size - 1);
      return { bytes: end + 1 - start, stream: file.createReadStream({ start, end: Math.max(end, start) }) };
    },
    async delete(key) {
      await rm(objectPath(key), { force: true });
    },
    link: async () => null,
    async folder() {
      folderId ??= await readFolderId(directory);
      return { id: folderId, place: `${hostname()}:${directory}` };
    },
    async sweep(olderThanMs) {
      const folder = join(directory, INCOMING_FOLDER);
      let sweptCount = 0;
      for (const name of await listNames(folder)) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
        if (clock.now().getTime() - mtimeMs < olderThanMs) continue;
        await rm(path, { force: true });
        sweptCount += 1;
      }
      return sweptCount;
    },
  };
}

const errorCode = (error: unknown): string => (error as { code?: string }).code ?? 'unknown';

/** The id of a folder; the first caller writes it, atomically. */
async function readFolderId(directory: string): Promise<string> {
  const path = join(directory, ID_FILE);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== MISSING_CODE)
      throw new StorageUnavailable(`could not be read: ${errorCode(error)}`, { cause: error });
  }
  const incomingPath = join(directory, INCOMING_FOLDER, newToken());
  await makeDirectory(directory, INCOMING_FOLDER);
  await writeThrough(incomingPath, Buffer.from(newToken()));
  await link(incomingPath, path).catch((error: unknown) => {
    // Another server wrote the id first.
    if (errorCode(error) !== EXISTS_CODE) throw error;
  });
  await rm(incomingPath, { force: true });
  return readFile(path, 'utf8');
}

async function makeDirectory(root: string, relative: string): Promise<void> {
  await mkdir(join(root, relative), { recursive: true, mode: 0o700 });
}

async function writeThrough(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushDirectory(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === MISSING_CODE) return undefined;
    throw new StorageUnavailable(`could not be read: ${errorCode(error)}`, { cause: error });
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === MISSING_CODE) return [];
    throw error;
  }
}

const ANNOUNCE_EVERY_MS = 20_000;
/** Time without an announcement after which a server counts as gone. */
const EXPIRES_AFTER_MS = 3 * ANNOUNCE_EVERY_MS;

/**
 * Announces in the database the folder in which this server stores files. Warns when another server uses a different
 * folder: neither can show the files of the other.
 */
export function announceStorageFolder(database: Database, storage: ObjectStorage, log: FastifyBaseLogger): Job {
  const warnedIds = new Set<string>();
  return startPeriodicJob({ name: 'announce the folder of files', everyMs: ANNOUNCE_EVERY_MS, run: announce, log });

  async function announce(): Promise<void> {
    const folder = await storage.folder();
    if (!folder) return;
    await database.query(
      `insert into file_folder (id, place) values ($1, $2)
       on conflict (id) do update set place = excluded.place, seen_at = now()`,
      [folder.id, folder.place],
    );
    const { rows } = await database.query<{ id: string; place: string }>(
      `select id, place from file_folder where id <> $1 and seen_at > now() - $2 * interval '1 millisecond'`,
      [folder.id, EXPIRES_AFTER_MS],
    );
    for (const otherFolder of rows) {
      if (warnedIds.has(otherFolder.id)) continue;
      warnedIds.add(otherFolder.id);
      log.error({ own: folder.place, other: otherFolder.place }, 'servers with separate file folders: set S3_BUCKET');
    }
  }
}
