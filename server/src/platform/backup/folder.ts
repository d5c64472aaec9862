import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UserError } from '../errors.ts';
import { DAY_MS } from '../time.ts';
import { MANIFEST_NAME, readManifest } from './manifest.ts';

const BACKUP_NAME = /^krapao-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** A backup writes its largest file all the time. One without a write for this long was interrupted. */
const INTERRUPTED_MS = 12 * 3_600_000;

export type CompleteBackup = { path: string; at: Date };
type BackupList = { complete: CompleteBackup[]; incomplete: string[] };

/** Name of the folder of a backup that begins at a moment. */
export const formatBackupName = (startedAt: Date): string =>
  `krapao-${startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

/** The backups in a folder, the newest last. Other files and links are ignored. */
export function listBackups(folder: string): BackupList {
  const found: BackupList = { complete: [], incomplete: [] };
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!BACKUP_NAME.test(name) || !lstatSync(path).isDirectory()) continue;
    if (isComplete(path)) found.complete.push({ path, at: parseStart(name) });
    else found.incomplete.push(path);
  }
  found.complete.sort((a, b) => a.at.getTime() - b.at.getTime());
  return found;
}

/** Start of a backup by its name, which a wrong manifest does not change. */
const parseStart = (name: string): Date => new Date(name.replace(BACKUP_NAME, '$1-$2-$3T$4:$5:$6Z'));

/** Whether the backup has its manifest and every file that the manifest lists. */
function isComplete(path: string): boolean {
  try {
    return readManifest(path).files.every(({ name }) => existsSync(join(path, name)));
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/**
 * Removes backups older than the retention, except the newest complete one, and those that were interrupted. A damaged
 * one has a manifest: it stays for the retention, because it may be repaired.
 * @returns the complete backups that are left, and the paths of all removed ones
 */
export function pruneBackups(
  folder: string,
  retentionDays: number,
  now: Date,
): { retained: CompleteBackup[]; removed: string[] } {
  const { complete, incomplete } = listBackups(folder);
  const retentionStartMs = now.getTime() - retentionDays * DAY_MS;
  const retained = complete.filter(
    ({ at }, index) => at.getTime() >= retentionStartMs || index === complete.length - 1,
  );
  const removed = [
    ...complete.filter((backup) => !retained.includes(backup)).map(({ path }) => path),
    ...incomplete.filter((path) =>
      existsSync(join(path, MANIFEST_NAME))
        ? parseStart(basename(path)).getTime() < retentionStartMs
        : now.getTime() - readLastWriteMs(path) > INTERRUPTED_MS,
    ),
  ];
  for (const path of removed) {
    // Without its manifest the rest is incomplete, should the removal be interrupted.
    rmSync(join(path, MANIFEST_NAME), { force: true });
    rmSync(path, { recursive: true, force: true });
  }
  return { retained, removed };
}

/** Milliseconds of the newest change of the folder and the files in it. */
function readLastWriteMs(path: string): number {
  const paths = [path, ...readdirSync(path).map((name) => join(path, name))];
  return Math.max(...paths.map((each) => lstatSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
