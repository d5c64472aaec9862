import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type CompleteBackup, listBackups } from '../platform/backup/folder.ts';
import { recordVerification, type Verification } from '../platform/backup/verification.ts';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { SUPERUSER } from '../platform/database/embedded-postgres/data-directory.ts';
import { UserError } from '../platform/errors.ts';
import { monotonicMs, systemClock } from '../platform/time.ts';
import { callerPath } from './document-file.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { EMBEDDED_DATABASE, type Command, type Io } from './run-command.ts';
import { checkRestored } from './verify-checks.ts';
import { refuseMore, requireArgument, wrongOption } from './arguments.ts';

const USAGE =
  'Write krapao backup verify [FOLDER] [--wal FOLDER] [--metrics FILE]; FOLDER is BACKUP_FOLDER by default.';
const HOUR_MS = 3_600_000;

type VerifyOptions = { folder: string; walArchive: string | undefined; metricsFile: string | undefined };

/** Restores the newest complete backup to a scratch folder and checks its books. The running server is not touched. */
export const verifyBackup: Command = async (args, io) => {
  const config = readConfig(io.environment);
  const { folder, walArchive, metricsFile } = optionsOf(args, config, io.environment);
  const startedMs = monotonicMs();
  const secondsSoFar = (): number => (monotonicMs() - startedMs) / 1_000;
  let wrong = 1;
  let backup: CompleteBackup | undefined;
  try {
    backup = newestBackup(folder);
    const { checks, restoredTo } = await checkRestored(folder, backup.path, walArchive, accountOf(config));
    for (const { check, violation } of checks) {
      io.print(violation === undefined ? `right  ${check}\n` : `WRONG  ${check}: ${violation}\n`);
    }
    wrong = checks.filter(({ violation }) => violation !== undefined).length;
    const hours = Math.floor((systemClock.now().getTime() - backup.at.getTime()) / HOUR_MS);
    const moment = restoredTo ? `, restored to ${restoredTo.toISOString()}` : '';
    io.print(`${basename(backup.path)}: ${hours} h old${moment}, in ${Math.ceil(secondsSoFar())} s\n`);
    io.print(`${checks.length} checks, ${wrong} wrong\n`);
    return wrong === 0 ? 0 : 1;
  } finally {
    const endedAt = systemClock.now();
    tryToRecord(folder, { at: endedAt.toISOString(), backup: backup && basename(backup.path), wrong }, io);
    writeGauges(metricsFile, 'backup_verify', {
      wrong,
      seconds: secondsSoFar(),
      timestamp_seconds: secondsOf(endedAt),
      backup_timestamp_seconds: backup && secondsOf(backup.at),
    });
  }
};

/** A failure does not change the outcome. */
function tryToRecord(folder: string, outcome: Verification, { printError }: Io): void {
  try {
    if (!existsSync(folder)) return;
    recordVerification(folder, outcome);
  } catch (error) {
    printError(`The outcome was not recorded for doctor: ${(error as Error).message}\n`);
  }
}

function newestBackup(folder: string): CompleteBackup {
  const newest = existsSync(folder) ? listBackups(folder).complete.at(-1) : undefined;
  if (!newest) throw new UserError(`There is no complete backup in ${folder}.`);
  return newest;
}

/** User and database in the backup. */
function accountOf({ databaseUrl }: Config): { user: string; database: string } {
  if (databaseUrl === undefined) return { user: SUPERUSER, database: EMBEDDED_DATABASE };
  const { username, pathname } = new URL(databaseUrl);
  return { user: decodeURIComponent(username), database: decodeURIComponent(pathname.slice(1)) };
}

/** @throws {UserError} unknown, missing or wrong */
function optionsOf(args: readonly string[], config: Config, environment: Environment): VerifyOptions {
  let parsedArgs;
  try {
    const options = { wal: { type: 'string' }, metrics: { type: 'string' } } as const;
    parsedArgs = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw wrongOption(error, args, USAGE);
  }
  const [firstArg = config.backupFolder, ...extraArgs] = parsedArgs.positionals;
  const { wal = config.walArchive, metrics } = parsedArgs.values;
  const folder = requireArgument(firstArg, 'FOLDER', USAGE);
  refuseMore(extraArgs, USAGE);
  const walArchive = wal === undefined ? undefined : callerPath(environment, wal);
  if (walArchive !== undefined && !existsSync(walArchive)) throw new UserError(`There is no folder ${walArchive}.`);
  return {
    folder: callerPath(environment, folder),
    walArchive,
    metricsFile: metrics === undefined ? undefined : callerPath(environment, metrics),
  };
}
