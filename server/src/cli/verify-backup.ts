import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type CompleteBackup, isBackupName, listBackups } from '../platform/backup/folder.ts';
import { readManifest } from '../platform/backup/manifest.ts';
import { recordVerification, type Verification } from '../platform/backup/verification.ts';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { SUPERUSER } from '../platform/database/embedded-postgres/data-directory.ts';
import { UserError } from '../platform/errors.ts';
import { monotonicMs, systemClock } from '../platform/time.ts';
import { refuseMore, requireArgument, resolveWalFolder, wrongOption } from './arguments.ts';
import { callerPath } from './document-file.ts';
import { explainFileFailure } from './explain-failure.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { EMBEDDED_DATABASE, type Command, type Io } from './run-command.ts';
import { restoreAndCheck } from './verify-checks.ts';

const USAGE =
  'Write krapao backup verify [FOLDER | FOLDER/krapao-DATE] [--wal FOLDER] [--metrics FILE]; FOLDER is BACKUP_FOLDER by default.';
const HOUR_MS = 3_600_000;

/** `path`: a backup, or a folder of backups. */
type VerifyOptions = { path: string; walArchive: string | undefined; metricsFile: string | undefined };

/** Restores one backup, or the newest complete one, to a scratch folder and checks its books. The running server is not touched. */
export const verifyBackup: Command = async (args, io) => {
  const config = readConfig(io.environment);
  const { path, walArchive, metricsFile } = parseOptions(args, config, io.environment);
  const startedMs = monotonicMs();
  const secondsSoFar = (): number => (monotonicMs() - startedMs) / 1_000;
  let wrong = 1;
  let backup: CompleteBackup | undefined;
  try {
    backup = chooseBackup(path);
    const { checks, lastCommitAt } = await restoreAndCheck(backup.path, walArchive, readAccount(config));
    for (const { check, violation } of checks) {
      io.print(violation === undefined ? `right  ${check}\n` : `WRONG  ${check}: ${violation}\n`);
    }
    wrong = checks.filter(({ violation }) => violation !== undefined).length;
    const hours = Math.floor((systemClock.now().getTime() - backup.at.getTime()) / HOUR_MS);
    const moment = lastCommitAt ? `, restored to ${lastCommitAt.toISOString()}` : '';
    io.print(`${basename(backup.path)}: ${hours} h old${moment}, in ${Math.ceil(secondsSoFar())} s\n`);
    io.print(`${checks.length} checks, ${wrong} wrong\n`);
    return wrong === 0 ? 0 : 1;
  } finally {
    const endedAt = systemClock.now();
    tryToRecord(path, { at: endedAt.toISOString(), backup: backup && basename(backup.path), wrong }, io);
    writeGauges(metricsFile, 'backup_verify', {
      wrong,
      seconds: secondsSoFar(),
      timestamp_seconds: secondsOf(endedAt),
      backup_timestamp_seconds: backup && secondsOf(backup.at),
    });
  }
};

/** Records the outcome for doctor, unless one certain backup was named. A failure does not change the outcome. */
function tryToRecord(path: string, outcome: Verification, { printError }: Io): void {
  try {
    if (isBackupName(basename(path)) || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    recordVerification(path, outcome);
  } catch (error) {
    // After a failed verification its own error is printed.
    if (outcome.wrong === 0) printError(`The outcome was not recorded for doctor: ${(error as Error).message}\n`);
  }
}

/** The backup at a path, or the newest complete one in a folder. @throws {UserError} there is none */
function chooseBackup(path: string): CompleteBackup {
  if (isBackupName(basename(path))) {
    const { at } = readManifest(path);
    return { path, at: new Date(at) };
  }
  const { complete, misdated } = listBackupsIn(path);
  const newest = complete.at(-1);
  if (newest) return newest;
  const future = misdated.map((misdatedPath) => ` ${basename(misdatedPath)} is dated in the future.`);
  throw new UserError(`There is no complete backup in ${path}.${future.join('')}`);
}

function listBackupsIn(folder: string): ReturnType<typeof listBackups> {
  try {
    return listBackups(folder);
  } catch (error) {
    const explanation = explainFileFailure(error, folder);
    if (explanation === undefined) throw error;
    throw new UserError(`There is no complete backup in ${folder}: ${explanation}`, { cause: error });
  }
}

/** User and database in the backup. */
function readAccount({ databaseUrl }: Config): { user: string; database: string } {
  if (databaseUrl === undefined) return { user: SUPERUSER, database: EMBEDDED_DATABASE };
  const { username, pathname } = new URL(databaseUrl);
  return { user: decodeURIComponent(username), database: decodeURIComponent(pathname.slice(1)) };
}

/** @throws {UserError} an option is unknown, missing or invalid */
function parseOptions(args: readonly string[], config: Config, environment: Environment): VerifyOptions {
  let parsedArgs;
  try {
    const options = { wal: { type: 'string' }, metrics: { type: 'string' } } as const;
    parsedArgs = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw wrongOption(error, args, USAGE);
  }
  const [firstArg = config.backupFolder, ...extraArgs] = parsedArgs.positionals;
  const { values } = parsedArgs;
  const { wal = config.walArchive, metrics } = values;
  const folder = requireArgument(firstArg, 'FOLDER', USAGE);
  refuseMore(extraArgs, USAGE);
  const walSource = values.wal === undefined ? 'WAL_ARCHIVE' : '--wal';
  return {
    path: callerPath(environment, folder),
    walArchive: wal === undefined ? undefined : resolveWalFolder(environment, wal, walSource),
    metricsFile: metrics === undefined ? undefined : callerPath(environment, metrics),
  };
}
