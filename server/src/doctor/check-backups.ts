import { accessSync, constants, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listBackups } from '../platform/backup/folder.ts';
import { compareSizes, MANIFEST_NAME, readManifest } from '../platform/backup/manifest.ts';
import { readVerification } from '../platform/backup/verification.ts';
import type { Config } from '../platform/config.ts';
import { UserError } from '../platform/errors.ts';
import type { Clock } from '../platform/time.ts';
import { checkDisk, checkWrittenDisk } from './check-disk.ts';
import { createFindingFactory, type Finding, formatDuration } from './finding.ts';

/** As the alert rules of deploy/prometheus: a day, and two hours for the backup. */
const BACKUP_AGE_SECONDS = 26 * 3_600;
/** As the alert rules: a month, and two days. */
const VERIFICATION_AGE_SECONDS = 33 * 86_400;
const BACKUP_REMEDY = 'krapao backup; docs/runbooks/backups.md';
const DAMAGED_REMEDY = 'krapao backup, then remove it: docs/runbooks/backups.md#damaged-backup.';
const MISDATED_REMEDY = 'Rename it by its real time, or remove it: docs/runbooks/backups.md.';
const VERIFICATION_FAILED_PAGE = 'docs/runbooks/backups.md#verification-fails';
const VERIFY_REMEDY = 'krapao backup verify, every month: systemctl enable --now krapao-backup-verify.timer.';

const { good, warning, fault } = createFindingFactory('backups');
const verificationFindings = createFindingFactory('backup verification');

/** Checks the backups, their last verification, and the free space of the folders of backups and archived WAL. */
export function checkBackups(config: Config, clock: Clock): Finding[] {
  const { backupFolder, walArchive, databaseUrl, simulators } = config;
  // With DATABASE_URL another machine writes to the archive.
  const checkArchiveDisk = databaseUrl === undefined ? checkWrittenDisk : checkDisk;
  const disks = walArchive === undefined ? [] : [checkArchiveDisk(walArchive, 'WAL_ARCHIVE')];
  if (backupFolder === undefined) {
    if (simulators || databaseUrl !== undefined) return disks;
    return [
      ...disks,
      warning('BACKUP_FOLDER is not set, so the age of backups is not known.', 'docs/runbooks/backups.md'),
    ];
  }
  try {
    accessSync(backupFolder, constants.W_OK);
    disks.push(checkDisk(backupFolder, 'BACKUP_FOLDER'));
    return [...disks, ...checkCopies(backupFolder, clock), ...checkVerification(backupFolder, clock)];
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

/** Checks the age of the newest backup whose files have their sizes; others are damaged. Reads only manifests. */
function checkCopies(folder: string, clock: Clock): Finding[] {
  const { complete, damaged, misdated } = listBackups(folder, clock.now());
  const damage = new Map(
    [...complete.map(({ path }) => path), ...damaged].map((path) => [path, describeDamage(path)] as const),
  );
  const damagedFindings = [...damage].flatMap(([path, sentence]) =>
    sentence === undefined ? [] : [fault(`${basename(path)} is damaged: ${sentence}.`, DAMAGED_REMEDY)],
  );
  const misdatedFindings = misdated.map((path) =>
    warning(`${basename(path)} is dated in the future: it is never the newest.`, MISDATED_REMEDY),
  );
  const findings = [...damagedFindings, ...misdatedFindings];
  const newest = complete.findLast(({ path }) => damage.get(path) === undefined);
  if (!newest) return [...findings, warning(`${folder} has no complete backup yet.`, BACKUP_REMEDY)];
  const ageSeconds = secondsSince(newest.at, clock);
  const sentence = `The newest complete backup is ${formatDuration(ageSeconds)} old.`;
  return [...findings, ageSeconds > BACKUP_AGE_SECONDS ? fault(sentence, BACKUP_REMEDY) : good(sentence)];
}

/** Undefined: all sizes match, or the backup has no manifest, because it is being written or removed. */
function describeDamage(path: string): string | undefined {
  let damage: string[];
  try {
    damage = compareSizes(path, readManifest(path));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    damage = [`${MANIFEST_NAME} can't be read`];
  }
  return damage.length > 0 && existsSync(join(path, MANIFEST_NAME)) ? damage.join(', ') : undefined;
}

/** Checks whether the last verification succeeded, and when it was. */
function checkVerification(folder: string, clock: Clock): Finding[] {
  let verification;
  try {
    verification = readVerification(folder);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [verificationFindings.warning(`The last outcome is not known: ${error.message}`, VERIFY_REMEDY)];
  }
  if (!verification) {
    const sentence = `No backup in ${folder} was verified: nothing proves that one can be restored.`;
    return [verificationFindings.warning(sentence, VERIFY_REMEDY)];
  }
  const { at, backup, wrong } = verification;
  const ageSeconds = secondsSince(new Date(at), clock);
  const result = wrong === 0 ? 'succeeded' : 'failed';
  const sentence = `The last verification (${backup ?? 'no backup'}) ${result} ${formatDuration(ageSeconds)} ago.`;
  if (wrong > 0) {
    return [verificationFindings.fault(sentence, `${VERIFICATION_FAILED_PAGE}; then krapao backup verify again.`)];
  }
  return [
    ageSeconds > VERIFICATION_AGE_SECONDS
      ? verificationFindings.warning(sentence, VERIFY_REMEDY)
      : verificationFindings.good(sentence),
  ];
}

const secondsSince = (moment: Date, clock: Clock): number =>
  Math.max(0, (clock.now().getTime() - moment.getTime()) / 1_000);
