import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { readJsonFile } from '../json.ts';

/** Description of a backup, `backup.json`. It is written last, so a folder without it is an incomplete backup. */
const description = z.object({
  /** Start of the backup. */
  at: z.iso.datetime(),
  /** End of the copy of the database, before which it can't be restored. Backups of older programs have none. */
  databaseEndedAt: z.iso.datetime().optional(),
  appVersion: z.string(),
  postgresMajor: z.int(),
  /** SHA-256 of each file that the restore reads. */
  files: z.array(z.object({ name: z.string().regex(/^[\w.]+$/), sha256: z.string() })),
  /** Entries of the ledger before the backup began: a restore has at least as many. */
  ledgerEntries: z.int().optional(),
});
export type Description = z.output<typeof description>;

/** File name of the description in the folder of a backup. */
export const DESCRIPTION = 'backup.json';

/** Reads the description without comparing the files. @throws {UserError} incomplete, or no backup */
export function readDescription(folder: string): Description {
  try {
    return readJsonFile(join(folder, DESCRIPTION), description);
  } catch (error) {
    throw new UserError(`${folder} is no complete backup: it has no right ${DESCRIPTION}.`, { cause: error });
  }
}

/** Reads the description of a backup and compares its files. @throws {UserError} incomplete, changed or no backup */
export async function readBackup(folder: string): Promise<Description> {
  const backup = readDescription(folder);
  for (const { name, sha256 } of backup.files) {
    if ((await sha256Of(join(folder, name))) !== sha256) {
      throw new UserError(`${name} of the backup ${folder} is missing or was changed: restore another backup.`);
    }
  }
  return backup;
}

/** SHA-256 of a file in hexadecimal; empty when it can't be read. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return '';
  }
  return hash.digest('hex');
}
