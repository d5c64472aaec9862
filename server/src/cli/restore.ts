import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMemberFiles, MEMBER_FILES, readVerifiedManifest } from '../platform/backup/manifest.ts';
import { assertSpace, unpackDatabase } from '../platform/backup/scratch-restore.ts';
import { explainReplayEnd, inspectArchive, parseWalPosition, readFirstWalFile } from '../platform/backup/wal-files.ts';
import { type Environment, readConfig } from '../platform/config.ts';
import { INCOMPLETE_RESTORE } from '../platform/database/connect.ts';
import { openDatabase } from '../platform/database/database.ts';
import { locateBinaries, MAJOR_VERSION } from '../platform/database/embedded-postgres/data-directory.ts';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../platform/database/embedded-postgres/launch.ts';
import { chooseSandbox, changeOwner } from '../platform/database/embedded-postgres/sandbox.ts';
import { restoreCommand } from '../platform/database/embedded-postgres/wal-archive.ts';
import { UserError } from '../platform/errors.ts';
import { refuseMore, requireArgument, resolveWalFolder, wrongOption } from './arguments.ts';
import { callerPath } from './document-file.ts';
import { asWriteError, type Command, type Io } from './run-command.ts';
import { checkWal, selectLastCommitTime } from './verify-checks.ts';

export const USAGE =
  'Say what to restore: krapao restore BACKUP [--wal FOLDER [--until MOMENT]], such as 2026-11-23T18:00:00Z.';
/** Replaying a day of WAL takes minutes. */
const RECOVERY_TIMEOUT_MS = 12 * 60 * 60_000;

export const restore: Command = async (args, { environment, print, printError }) => {
  const request = parseOptions([...args], environment);
  const { backup, until } = request;
  const config = readConfig(environment);
  if (config.databaseUrl !== undefined) {
    throw new UserError('DATABASE_URL is set: restore that server with its own tools (docs/deploy/backup.md).');
  }
  const data = config.dataDirectory;
  if (isUsed(data)) {
    throw new UserError(`${data} is not empty: set DATA_DIR to a new folder. Nothing was changed.`);
  }
  const manifest = await readVerifiedManifest(backup);
  const { postgresMajor, at, databaseEndedAt = at } = manifest;
  if (until !== undefined && Date.parse(until) < Date.parse(databaseEndedAt)) {
    throw new UserError(
      `--until is before the end of this backup, which was taken until ${databaseEndedAt}: restore an older backup.`,
    );
  }
  if (String(postgresMajor) !== MAJOR_VERSION) {
    throw new UserError(`This backup is of PostgreSQL ${postgresMajor}, this program brings ${MAJOR_VERSION}.`);
  }
  const isNew = makeFolders(data);
  let restored: RestoreResult;
  try {
    restored = await restoreInto(data, request);
  } catch (error) {
    removePartialRestore(data, isNew, printError);
    throw error;
  }
  const { lastCommitAt, violations } = restored;
  const moment = lastCommitAt
    ? `after the commit of ${lastCommitAt.toISOString()}`
    : `at the end of the backup of ${at}`;
  print(`${data} has the state ${moment}${until && lastCommitAt ? `, the last before ${until}` : ''}.\n`);
  for (const violation of violations) printError(`Later commits are not restored: ${violation}.\n`);
  const missingFiles = describeMemberFiles(backup, manifest);
  if (missingFiles !== undefined) printError(`Slips and chat files are incomplete: ${missingFiles}.\n`);
  return violations.length > 0 || missingFiles !== undefined ? 1 : 0;
};

type RestoreRequest = {
  /** Path of the backup. */
  backup: string;
  /** Folder with archived WAL. */
  wal: string | undefined;
  /** Moment at which the replay of WAL ends, in ISO 8601 with a zone. Default: the end of the archived WAL. */
  until: string | undefined;
};
type RestoreResult = {
  /** Time of the last commit replayed from archived WAL; undefined: none was. */
  lastCommitAt: Date | undefined;
  /** Why archived WAL was not replayed to its end. */
  violations: string[];
};

/** Whether the folder exists and has content. @throws {UserError} it is no folder, or is unreadable */
function isUsed(data: string): boolean {
  try {
    return readdirSync(data).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw asWriteError(data, error);
  }
}

/** Creates the data folder, marked as incomplete, with the database folder. @returns whether the data folder is new */
function makeFolders(data: string): boolean {
  try {
    const firstCreated = mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(join(data, INCOMPLETE_RESTORE), '', { flush: true });
    mkdirSync(databaseFolder(data), { mode: 0o700 });
    return firstCreated !== undefined;
  } catch (error) {
    throw asWriteError(data, error);
  }
}

const databaseFolder = (data: string): string => join(data, 'postgres');

/**
 * Removes an incomplete restore, which must not be started by mistake. An existing folder stays: its parent may belong
 * to another user.
 */
function removePartialRestore(data: string, isNew: boolean, printError: Io['printError']): void {
  try {
    // The marker is removed last: a kill must leave no part without it.
    const names = readdirSync(data).filter((name) => name !== INCOMPLETE_RESTORE);
    for (const name of [...names, INCOMPLETE_RESTORE]) rmSync(join(data, name), { recursive: true, force: true });
    if (isNew) rmdirSync(data);
  } catch (error) {
    // Printed in addition to the reason of the failure, which is thrown next.
    printError(`${data} holds a part of a restore: remove it (${(error as Error).message}).\n`);
  }
}

async function restoreInto(data: string, request: RestoreRequest): Promise<RestoreResult> {
  const { backup, wal } = request;
  const directory = databaseFolder(data);
  assertSpace(data, join(backup, 'base.tar'));
  unpackDatabase(backup, directory);
  const backupWal = readdirSync(join(directory, 'pg_wal'));
  if (wal !== undefined) writeFileSync(join(directory, 'recovery.signal'), '');
  changeOwner(directory, chooseSandbox(locateBinaries()));
  const postgres = await startRecovery(directory, request, backupWal);
  let restored: RestoreResult;
  try {
    restored = await readReplay(postgres.url, request, backupWal);
  } catch (error) {
    // The restore is whole, and may have taken hours.
    restored = { lastCommitAt: undefined, violations: [`this could not be examined: ${(error as Error).message}`] };
  } finally {
    await postgres.stop();
  }
  completeRestore(backup, data);
  return restored;
}

/**
 * Starts the unpacked database, which replays WAL first.
 * @throws {UserError} the WAL does not reach the moment, with the last commit that it has
 */
async function startRecovery(
  directory: string,
  request: RestoreRequest,
  backupWal: readonly string[],
): Promise<EmbeddedPostgres> {
  const { wal, until } = request;
  const recovery = wal !== undefined && {
    restore_command: restoreCommand(wal),
    ...(until && { recovery_target_time: timeForPostgres(until) }),
    recovery_target_action: 'promote',
    // Otherwise PostgreSQL refuses a machine with a lower connection limit than that of the backup.
    hot_standby: 'off',
  };
  try {
    return await launchEmbeddedPostgres({
      directory,
      readyTimeoutMs: RECOVERY_TIMEOUT_MS,
      settings: { ...recovery },
    });
  } catch (error) {
    const log = existsSync(`${directory}.log`) ? readFileSync(`${directory}.log`, 'utf8') : '';
    throw explainUnreachedMoment(log, request, backupWal) ?? error;
  }
}

/** Explains from PostgreSQL's log why a restore did not reach its moment; undefined: it failed for another reason. */
function explainUnreachedMoment(
  log: string,
  { backup, wal, until }: RestoreRequest,
  backupWal: readonly string[],
): UserError | undefined {
  if (until === undefined || wal === undefined) return undefined;
  if (log.includes('requested recovery stop point is before consistent recovery point')) {
    return new UserError(`--until is before the end of this backup: restore an older backup. Nothing was changed.`);
  }
  if (!log.includes('recovery ended before configured recovery target was reached')) return undefined;
  const [, lastCommit] = /last completed transaction was at log time (\S+ \S+?)(?:\+00)?$/m.exec(log) ?? [];
  const [, replayEnd = ''] = /redo done at ([\dA-F]+\/[\dA-F]+)/.exec(log) ?? [];
  const archived = inspectArchive(wal, readFirstWalFile(backup), backupWal);
  const fault = explainReplayEnd(archived, parseWalPosition(replayEnd));
  const reached =
    lastCommit === undefined
      ? 'has no commit after the backup'
      : `has its last commit at ${new Date(`${lastCommit.replace(' ', 'T')}Z`).toISOString()}`;
  return new UserError(
    `The archived WAL ends before ${until}: it ${reached}.${fault ? ` It ends at ${fault}.` : ''} Restore until an earlier moment, or without --until to its end. Nothing was changed.`,
  );
}

async function readReplay(
  url: string,
  { backup, wal, until }: RestoreRequest,
  backupWal: readonly string[],
): Promise<RestoreResult> {
  if (wal === undefined) return { lastCommitAt: undefined, violations: [] };
  const database = openDatabase({ url, size: 1 });
  try {
    // PostgreSQL reached the moment, so no WAL before it is missing.
    const checks = until === undefined ? await checkWal(database, backup, backupWal, wal) : [];
    const violations = checks.flatMap(({ violation }) => violation ?? []);
    return { lastCommitAt: await selectLastCommitTime(database), violations };
  } finally {
    await database.close();
  }
}

/** Copies the other files, and ends the restore. @throws {UserError} with the reason, such as a full disk */
function completeRestore(backup: string, data: string): void {
  try {
    for (const name of ['secrets.json', 'outside.json']) copyFileSync(join(backup, name), join(data, name));
    if (existsSync(join(backup, MEMBER_FILES)))
      cpSync(join(backup, MEMBER_FILES), join(data, MEMBER_FILES), { recursive: true });
    rmSync(join(data, INCOMPLETE_RESTORE));
  } catch (error) {
    throw asWriteError(data, error);
  }
}

function isMoment(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  // 30 February is parsed as 2 March.
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** PostgreSQL reads the setting before it knows any time zone name, even `Z`. */
function timeForPostgres(time: string): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '+00');
}

/** @throws {UserError} an option is unknown, missing or invalid */
function parseOptions(args: string[], environment: Environment): RestoreRequest {
  let parsedArgs;
  try {
    parsedArgs = parseArgs({
      args,
      allowPositionals: true,
      options: { until: { type: 'string' }, wal: { type: 'string' } },
    });
  } catch (error) {
    throw wrongOption(error, args, USAGE);
  }
  const [firstArg, ...extraArgs] = parsedArgs.positionals;
  const backup = requireArgument(firstArg, 'BACKUP', USAGE);
  const { until, wal } = parsedArgs.values;
  refuseMore(extraArgs, USAGE);
  if (until !== undefined && wal === undefined) {
    throw new UserError('A point in time needs the archived WAL: --wal FOLDER, what WAL_ARCHIVE was.');
  }
  const walFolder = wal === undefined ? undefined : resolveWalFolder(environment, wal, '--wal');
  // Refuses a path that PostgreSQL could not use after the backup is unpacked.
  if (walFolder !== undefined) restoreCommand(walFolder);
  if (until !== undefined && !isMoment(until)) {
    throw new UserError('--until is a moment with its zone, for example 2026-11-23T18:00:00Z.');
  }
  return { backup: callerPath(environment, backup), until, wal: walFolder };
}
