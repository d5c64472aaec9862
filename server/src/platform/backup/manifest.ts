import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { readJsonFile } from '../json.ts';

const REQUIRED_FILES = ['base.tar', 'secrets.json', 'outside.json'];

/** Manifest of a backup, `backup.json`. It is written last, so a folder without it is an incomplete backup. */
const backupManifest = z.object({
  /** Start of the backup. */
  at: z.iso.datetime(),
  /** End of the copy of the database, before which it can't be restored. Backups of older programs have none. */
  databaseEndedAt: z.iso.datetime().optional(),
  appVersion: z.string(),
  postgresMajor: z.int(),
  /** SHA-256 and size of each file that the restore reads. Backups of older programs have no sizes. */
  files: z
    .array(z.object({ name: z.string().regex(/^[\w.]+$/), sha256: z.string(), bytes: z.int().min(0).optional() }))
    .refine((files) => REQUIRED_FILES.every((required) => files.some(({ name }) => name === required))),
  /** Slips and chat files in the folder `files`. Backups of older programs, and those with a bucket, have none. */
  memberFiles: z.object({ count: z.int().min(0), bytes: z.int().min(0) }).optional(),
  /** Entries of the ledger before the backup began: a restore has at least as many. */
  ledgerEntries: z.int().optional(),
});
export type BackupManifest = z.output<typeof backupManifest>;

/** File name of the manifest in the folder of a backup. */
export const MANIFEST_NAME = 'backup.json';

/** Reads the manifest without comparing the files. @throws {UserError} incomplete, or no backup */
export function readManifest(folder: string): BackupManifest {
  try {
    return readJsonFile(join(folder, MANIFEST_NAME), backupManifest);
  } catch (error) {
    throw new UserError(`${folder} is no complete backup: ${MANIFEST_NAME} is missing or invalid.`, { cause: error });
  }
}

/** Reads the manifest of a backup and compares the checksums of its files. @throws {UserError} incomplete, changed or no backup */
export async function readVerifiedManifest(folder: string): Promise<BackupManifest> {
  const manifest = readManifest(folder);
  for (const { name, sha256 } of manifest.files) {
    if ((await computeSha256(join(folder, name))) !== sha256) {
      throw new UserError(`${name} of the backup ${folder} is missing or was changed: restore another backup.`);
    }
  }
  return manifest;
}

/** Sentences about files that are missing or have another size than they had when they were written. Reads none. */
export function compareSizes(folder: string, { files }: BackupManifest): string[] {
  return files.flatMap(({ name, bytes }) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat === undefined) return [`${name} is missing`];
    return bytes === undefined || stat.size === bytes ? [] : [`${name} has ${stat.size} of ${bytes} bytes`];
  });
}

/** Name of the folder with the files of members in a backup and in a data folder. */
export const MEMBER_FILES = 'files';

/** Number and bytes of the files in a folder and its subfolders; both 0 without the folder. */
export function measureFiles(folder: string): { count: number; bytes: number } {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const sizes = entries.flatMap((entry) => (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : []));
  return { count: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

/** Says which part of the members' files a backup has, if it has less or more than were written. */
export function describeMemberFiles(folder: string, { memberFiles }: BackupManifest): string | undefined {
  if (memberFiles === undefined) return undefined;
  const { count, bytes } = measureFiles(join(folder, MEMBER_FILES));
  if (count === memberFiles.count && bytes === memberFiles.bytes) return undefined;
  return `the backup has ${count} of ${memberFiles.count} slips and chat files, ${bytes} of ${memberFiles.bytes} bytes`;
}

/** SHA-256 of a file in hexadecimal; empty when it can't be read. */
export async function computeSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return '';
  }
  return hash.digest('hex');
}
