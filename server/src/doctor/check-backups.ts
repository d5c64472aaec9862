import { accessSync, constants } from 'node:fs';
import { listBackups } from '../platform/backup/folder.ts';
import type { Config } from '../platform/config.ts';
import type { Clock } from '../platform/time.ts';
import { checkDisk } from './check-files.ts';
import { formatDuration, type Finding, createFindingFactory } from './finding.ts';

/** As the alert rules of deploy/prometheus: a day, and two hours for the backup. */
const OLD_SECONDS = 26 * 3_600;
const REMEDY = 'krapao backup; docs/runbooks/backups.md';

/** Checks the age of the newest backup, and the free space of the folders of backups and archived WAL. */
export function checkBackups(config: Config, clock: Clock): Finding[] {
  const { good, warning, fault } = createFindingFactory('backups');
  const { backupFolder, walArchive, databaseUrl, simulators } = config;
  const disks = walArchive === undefined ? [] : [checkDisk(walArchive, 'WAL_ARCHIVE')];
  if (backupFolder === undefined) {
    if (simulators || databaseUrl !== undefined) return disks;
    return [
      ...disks,
      warning('BACKUP_FOLDER is not set, so the age of backups is not known.', 'docs/runbooks/backups.md'),
    ];
  }
  try {
    accessSync(backupFolder, constants.W_OK);
    const newest = listBackups(backupFolder).complete.at(-1);
    disks.push(checkDisk(backupFolder, 'BACKUP_FOLDER'));
    if (!newest) return [...disks, warning(`${backupFolder} has no complete backup yet.`, REMEDY)];
    const ageSeconds = Math.max(0, (clock.now().getTime() - newest.at.getTime()) / 1_000);
    const sentence = `The newest complete backup is ${formatDuration(ageSeconds)} old.`;
    return [...disks, ageSeconds > OLD_SECONDS ? fault(sentence, REMEDY) : good(sentence)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return [
      ...disks,
      fault(
        `Backups can't be written to ${backupFolder} (${code}).`,
        'Make it, or give it to the user of the server: docs/runbooks/backups.md',
      ),
    ];
  }
}
