import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UserError } from '../errors.ts';
import { DAY_MS, systemClock } from '../time.ts';
import { MANIFEST_NAME, readManifest } from './manifest.ts';

const BACKUP_NAME = /^krapao-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** A backup writes its largest file all the time. One without a write for this long was interrupted. */
const INTERRUPTED_MS = 12 * 3_600_000;

export type CompleteBackup = { path: string; at: Date };
type BackupList = {
  /** With every file that the manifest lists; the newest is last. */
  complete: CompleteBackup[];
  /** Paths of those with a wrong manifest, or without a file that it lists. */
  damaged: string[];
  /** Paths of those without a manifest: being written, or interrupted. */
  unfinished: string[];
  /** Paths of finished ones whose name has a future or invalid time: the clock was wrong, or they were renamed. */
  misdated: string[];
};

/** Name of the folder of a backup that begins at a moment. */
export const formatBackupName = (startedAt: Date): string =>
  `krapao-${startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

/** Whether a folder is named like a backup, not like a folder of backups. */
export const isBackupName = (name: string): boolean => BACKUP_NAME.test(name);

/** The backups in a folder. Other files and links are ignored. */
export function listBackups(folder: string, now = systemClock.now()): BackupList {
  const list: BackupList = { complete: [], damaged: [], unfinished: [], misdated: [] };
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!isBackupName(name) || !lstatSync(path).isDirectory()) continue;
    const at = parseStart(name);
    if (!existsSync(join(path, MANIFEST_NAME))) list.unfinished.push(path);
    else if (!(at.getTime() <= now.getTime())) list.misdated.push(path);
    else if (isComplete(path)) list.complete.push({ path, at });
    else list.damaged.push(path);
  }
  list.complete.sort((a, b) => a.at.getTime() - b.at.getTime());
  return list;
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

type PruneResult = {
  /** Paths of all backups that are left, damaged ones included: each may be restored after a repair. */
  retained: string[];
  removed: string[];
  misdated: string[];
};

/**
 * Removes backups older than the retention, except the newest complete one, and those that were interrupted. Those
 * without a past time in their name are left to the operator.
 */
export function pruneBackups(folder: string, retentionDays: number, now: Date): PruneResult {
  const { complete, damaged, unfinished, misdated } = listBackups(folder, now);
  const retentionStartMs = now.getTime() - retentionDays * DAY_MS;
  const newest = complete.at(-1)?.path;
  const finished = [...complete.map(({ path }) => path), ...damaged];
  const isExpired = (path: string): boolean =>
    path !== newest && parseStart(basename(path)).getTime() < retentionStartMs;
  const isInterrupted = (path: string): boolean => now.getTime() - readLastWriteMs(path) > INTERRUPTED_MS;
  const removed = [...finished.filter(isExpired), ...unfinished.filter(isInterrupted)];
  for (const path of removed) {
    // Removed first: an interrupted removal must leave an incomplete backup.
    rmSync(join(path, MANIFEST_NAME), { force: true });
    rmSync(path, { recursive: true, force: true });
  }
  return { retained: [...finished.filter((path) => !isExpired(path)), ...misdated], removed, misdated };
}

/** Milliseconds of the newest change of the folder and the files in it. */
function readLastWriteMs(path: string): number {
  const paths = [path, ...readdirSync(path).map((name) => join(path, name))];
  return Math.max(...paths.map((each) => lstatSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
