import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { DAY_MS } from '../time.ts';
import { DESCRIPTION, readDescription } from './description.ts';

const BACKUP_NAME = /^krapao-\d{8}T\d{6}Z$/;
/** A backup writes its largest file all the time. One without a write for this long was interrupted. */
const INTERRUPTED_MS = 12 * 3_600_000;

export type CompleteBackup = { path: string; at: Date };
type BackupFolder = { complete: CompleteBackup[]; incomplete: string[] };

/** Name of the folder of a backup that begins at a moment. */
export const backupName = (startedAt: Date): string =>
  `krapao-${startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

/** The backups in a folder, the newest last. Other files and links are ignored. */
export function listBackups(folder: string): BackupFolder {
  const found: BackupFolder = { complete: [], incomplete: [] };
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!BACKUP_NAME.test(name) || !lstatSync(path).isDirectory()) continue;
    const at = completedAt(path);
    if (at) found.complete.push({ path, at });
    else found.incomplete.push(path);
  }
  found.complete.sort((a, b) => a.at.getTime() - b.at.getTime());
  return found;
}

/** When the backup began; undefined: it lacks its description, or a file that the description lists. */
function completedAt(path: string): Date | undefined {
  try {
    const { at, files } = readDescription(path);
    return files.every(({ name }) => existsSync(join(path, name))) ? new Date(at) : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * Removes complete backups older than the kept days, except the newest one, and incomplete ones that were interrupted.
 * @returns the complete backups that are left, and the paths of all removed ones
 */
export function pruneBackups(
  folder: string,
  keepDays: number,
  now: Date,
): { kept: CompleteBackup[]; removed: string[] } {
  const { complete, incomplete } = listBackups(folder);
  const oldestKept = now.getTime() - keepDays * DAY_MS;
  const kept = complete.filter(({ at }, index) => at.getTime() >= oldestKept || index === complete.length - 1);
  const removed = [
    ...complete.filter((backup) => !kept.includes(backup)).map(({ path }) => path),
    ...incomplete.filter((path) => now.getTime() - lastWrite(path) > INTERRUPTED_MS),
  ];
  for (const path of removed) {
    // Without its description the rest is incomplete, should the removal be interrupted.
    rmSync(join(path, DESCRIPTION), { force: true });
    rmSync(path, { recursive: true, force: true });
  }
  return { kept, removed };
}

/** Milliseconds of the newest change of the folder and the files in it. */
function lastWrite(path: string): number {
  const paths = [path, ...readdirSync(path).map((name) => join(path, name))];
  return Math.max(...paths.map((each) => lstatSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
