import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../time.ts';
import { newToken } from '../ids.ts';
import { assertKey, type ObjectStorage, StorageUnavailable } from './port.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import { type Job, startPeriodicJob } from '../jobs/job.ts';

/** Half-written files are kept here, on the same disk as the others, so that a rename publishes them atomically. */
const INCOMING = 'incoming';
const MISSING = 'ENOENT';
const EXISTS = 'EEXIST';
/** Identifies the folder for every server that sees it. */
const ID_FILE = 'folder-id';

/**
 * Files below a folder. Each is written to `incoming`, flushed to the disk, then renamed, and the folder is flushed
 * too: a killed process or a full disk leaves nothing but a file in `incoming`, which is swept.
 */
export function fileStorage(directory: string, clock: Clock): ObjectStorage {
  const pathOf = (key: string) => {
    assertKey(key);
    return join(directory, key);
  };
  let id: string | undefined;
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const incoming = join(directory, INCOMING, newToken());
      try {
        await makeDirectory(directory, INCOMING);
        await makeDirectory(directory, dirname(key));
        await writeThrough(incoming, bytes);
        await rename(incoming, path);
        await flushDirectory(dirname(path));
      } catch (error) {
        await rm(incoming, { force: true }).catch(() => {});
        throw new StorageUnavailable(`could not be written: ${codeOf(error)}`, { cause: error });
      }
    },
    async get(key, part) {
      const file = await openIfThere(pathOf(key));
      if (!file) return undefined;
      const { size } = await file.stat();
      const start = part?.from ?? 0;
      const end = Math.min(part?.to ?? size, size - 1);
      return { bytes: end + 1 - start, stream: file.createReadStream({ start, end: Math.max(end, start) }) };
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    link: async () => null,
    async folder() {
      id ??= await idOf(directory);
      return { id, place: `${hostname()}:${directory}` };
    },
    async sweep(olderThanMs) {
      const folder = join(directory, INCOMING);
      let swept = 0;
      for (const name of await namesIn(folder)) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
        if (clock.now().getTime() - mtimeMs < olderThanMs) continue;
        await rm(path, { force: true });
        swept += 1;
      }
      return swept;
    },
  };
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'unknown';

/** The id of a folder; the first caller writes it, atomically. */
async function idOf(directory: string): Promise<string> {
  const path = join(directory, ID_FILE);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== MISSING)
      throw new StorageUnavailable(`could not be read: ${codeOf(error)}`, { cause: error });
  }
  const incoming = join(directory, INCOMING, newToken());
  await makeDirectory(directory, INCOMING);
  await writeThrough(incoming, Buffer.from(newToken()));
  await link(incoming, path).catch((error: unknown) => {
    // Another server wrote it first.
    if (codeOf(error) !== EXISTS) throw error;
  });
  await rm(incoming, { force: true });
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

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === MISSING) return undefined;
    throw new StorageUnavailable(`could not be read: ${codeOf(error)}`, { cause: error });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === MISSING) return [];
    throw error;
  }
}

const EVERY_MS = 20_000;
/** A server that has not announced its folder for this long counts as gone. */
const GONE_MS = 3 * EVERY_MS;

/**
 * Announces in the database which folder this server stores files in, and warns when another server uses a different
 * folder: neither can show files that the other has received.
 */
export function announceStorageFolder(database: Database, storage: ObjectStorage, log: FastifyBaseLogger): Job {
  const warned = new Set<string>();
  return startPeriodicJob({ name: 'announce the folder of files', everyMs: EVERY_MS, run: announce, log });

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
      [folder.id, GONE_MS],
    );
    for (const other of rows) {
      if (warned.has(other.id)) continue;
      warned.add(other.id);
      log.error(
        { own: folder.place, other: other.place },
        'another server keeps files in a folder of its own: several servers need the bucket of S3_BUCKET',
      );
    }
  }
}
