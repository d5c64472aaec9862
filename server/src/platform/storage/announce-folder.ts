import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import { type Job, startJob } from '../jobs/job.ts';
import type { ObjectStorage } from './port.ts';

const EVERY_MS = 20_000;
/** A server that has not announced its folder for this long counts as gone. */
const GONE_MS = 3 * EVERY_MS;

/**
 * Announces in the database which folder this server stores files in, and warns when another server uses a different
 * folder: neither can show files that the other has received.
 */
export function announceFolder(database: Database, storage: ObjectStorage, log: FastifyBaseLogger): Job {
  const warned = new Set<string>();
  return startJob({ name: 'announce the folder of files', everyMs: EVERY_MS, run: announce, log });

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
