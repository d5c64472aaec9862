import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../platform/errors.ts';
import { readJsonFile } from '../platform/json.ts';

/** What `backup.json` says of a backup. It is written last: a folder without it is an unfinished backup. */
const description = z.object({
  at: z.iso.datetime(),
  appVersion: z.string(),
  postgresMajor: z.int(),
  /** SHA-256 of each file that the restore reads. */
  files: z.array(z.object({ name: z.string().regex(/^[\w.]+$/), sha256: z.string() })),
});
export type Description = z.output<typeof description>;

/** Name of the description in the folder of a backup. */
export const DESCRIPTION = 'backup.json';

/** Reads what a backup says of itself and compares its files. @throws {UserError} unfinished, changed or no backup */
export async function readBackup(folder: string): Promise<Description> {
  let found: Description;
  try {
    found = readJsonFile(join(folder, DESCRIPTION), description);
  } catch (error) {
    throw new UserError(`${folder} is no complete backup: it has no right ${DESCRIPTION}.`, { cause: error });
  }
  for (const { name, sha256 } of found.files) {
    if ((await sha256Of(join(folder, name))) !== sha256) {
      throw new UserError(`${name} of the backup ${folder} is missing or was changed: restore another backup.`);
    }
  }
  return found;
}

/** SHA-256 of a file in hexadecimal; empty when it can't be read. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
  } catch {
    return '';
  }
  return hash.digest('hex');
}
