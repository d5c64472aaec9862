import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { APP_VERSION } from '@krapao/contract/constants';
import { entriesByAccounts } from '../ledger/index.ts';
import { type Description, DESCRIPTION, sha256Of } from '../platform/backup/description.ts';
import { backupName, listBackups, pruneBackups } from '../platform/backup/folder.ts';
import { publishNeededWal } from '../platform/backup/needed-wal.ts';
import { firstNeededWal, pruneWal } from '../platform/backup/wal-files.ts';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { opensCheck, readSecretBox } from '../platform/crypto/encryption.ts';
import { takeBaseBackup } from '../platform/database/base-backup.ts';
import { assertOwnArchive } from '../platform/database/embedded-postgres/wal-archive.ts';
import { UserError } from '../platform/errors.ts';
import { monotonicMs, systemClock } from '../platform/time.ts';
import { callerPath } from './document-file.ts';
import { asWriteError, type Command, type DatabaseContext, withDatabase } from './run-command.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { refuseMore, requireArgument, wrongOption } from './arguments.ts';

const WAL_FILE_BYTES = 16 * 1024 ** 2;
const VERSIONS_PER_MAJOR = 10_000;
export const USAGE = 'Say where to: krapao backup [FOLDER] [--keep DAYS] [--metrics FILE]; or `krapao backup verify`.';

type BackupOptions = { folder: string; keepDays: number | undefined; metricsFile: string | undefined };

export const backup: Command = async (args, io) => {
  if (args[0] === 'verify') return (await import('./verify-backup.ts')).verifyBackup(args.slice(1), io);
  const options = optionsOf(args, readConfig(io.environment), io.environment);
  const startedMs = monotonicMs();
  let failed = 1;
  try {
    const status = await withDatabase((_, context) => takeBackup(options, context), { isLong: true })(args, io);
    failed = status;
    return status;
  } finally {
    writeGauges(options.metricsFile, 'backup', {
      failed,
      seconds: (monotonicMs() - startedMs) / 1_000,
      timestamp_seconds: newestSeconds(options.folder),
    });
  }
};

/** Start of the newest complete backup; undefined without one. */
function newestSeconds(folder: string): number | undefined {
  try {
    const newest = listBackups(folder).complete.at(-1);
    return newest && secondsOf(newest.at);
  } catch {
    return undefined;
  }
}

async function takeBackup({ folder, keepDays }: BackupOptions, context: DatabaseContext): Promise<number> {
  const startedAt = systemClock.now();
  const backupFolder = join(folder, backupName(startedAt));
  makeFolder(backupFolder);
  try {
    await writeBackup(backupFolder, startedAt.toISOString(), context);
  } catch (error) {
    // An incomplete backup can't be restored, and occupies the space that the next one needs.
    rmSync(backupFolder, { recursive: true, force: true });
    throw error instanceof UserError ? error : (fullDataDisk(context.config) ?? asWriteError(backupFolder, error));
  }
  context.print(`${backupFolder}\n`);
  if (keepDays === undefined) return 0;
  try {
    await prune(folder, keepDays, context);
    return 0;
  } catch (error) {
    if (!(error instanceof UserError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    context.printError(`The backup is complete, but older ones were not all removed: ${(error as Error).message}\n`);
    return 1;
  }
}

/** PostgreSQL ends when it has no room for a WAL file, and then its connection says nothing of a disk. */
function fullDataDisk({ databaseUrl, dataDirectory }: Config): UserError | undefined {
  if (databaseUrl !== undefined) return undefined;
  const { bavail, bsize } = statfsSync(dataDirectory);
  if (bavail * bsize >= WAL_FILE_BYTES) return undefined;
  return new UserError(`The disk of ${dataDirectory} is full: free some space (docs/runbooks/disk-full.md).`);
}

/** Removes what the kept days don't need. Runs only after a complete backup was written durably. */
async function prune(folder: string, keepDays: number, { config, database, print }: DatabaseContext): Promise<void> {
  const { walArchive, databaseUrl, dataDirectory } = config;
  const { kept, removed } = pruneBackups(folder, keepDays, systemClock.now());
  for (const path of removed) print(`removed ${path}\n`);
  const neededWal = firstNeededWal(kept.map(({ path }) => path));
  if (neededWal === undefined) return;
  if (databaseUrl !== undefined && !(await publishNeededWal(database, neededWal))) {
    print(
      `WAL before ${neededWal} is not needed; the user of DATABASE_URL may not note it for the database servers.\n`,
    );
  }
  if (walArchive === undefined) return;
  assertOwnArchive(walArchive, databaseUrl === undefined ? dataDirectory : undefined);
  const { files, bytes } = pruneWal(walArchive, neededWal);
  if (files > 0) print(`removed ${files} WAL files, ${Math.ceil(bytes / 1024 ** 2)} MB\n`);
}

/**
 * Fails when the folder exists: another backup of the same second must not be removed together with an incomplete one.
 */
function makeFolder(backupFolder: string): void {
  try {
    mkdirSync(dirname(backupFolder), { recursive: true, mode: 0o700 });
    mkdirSync(backupFolder, { mode: 0o700 });
  } catch (error) {
    throw asWriteError(backupFolder, error);
  }
}

async function writeBackup(backupFolder: string, startedAt: string, context: DatabaseContext): Promise<void> {
  const { database, config, url } = context;
  if (existsSync(config.secretsFile) && (await opensCheck(database, readSecretBox(config.secretsFile))) === false) {
    throw new UserError(
      `${config.secretsFile} does not open this database: put back the copy of an older backup (docs/deploy/backup.md). No backup was made, and none was removed.`,
    );
  }
  const { rows } = await database.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  const ledgerEntries = await entriesByAccounts(database);
  const files = await takeBaseBackup(url, backupFolder);
  const databaseEndedAt = systemClock.now().toISOString();
  for (const [name, path] of [
    ['secrets.json', config.secretsFile],
    ['outside.json', config.outsideFile],
  ] as const) {
    if (!existsSync(path)) throw new UserError(`${path} is missing: a backup without it can't be restored.`);
    copyFileSync(path, join(backupFolder, name));
    chmodSync(join(backupFolder, name), 0o600);
    files.push({ name, sha256: await sha256Of(join(backupFolder, name)) });
  }
  // Copied after the database, so that every file that a row names is present.
  copyFiles(context, backupFolder);
  const postgresMajor = Math.floor((rows[0]?.number ?? 0) / VERSIONS_PER_MAJOR);
  const description: Description = {
    at: startedAt,
    databaseEndedAt,
    appVersion: APP_VERSION,
    postgresMajor,
    files,
    ledgerEntries,
  };
  // A power cut must not leave a description of files that are lost, while older backups are removed.
  syncDisk(backupFolder);
  writeFileSync(join(backupFolder, DESCRIPTION), `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  syncDisk(backupFolder);
}

/** Waits until the file system of a folder is written to disk. */
function syncDisk(folder: string): void {
  const { status, stderr } = spawnSync('sync', ['-f', folder], { encoding: 'utf8' });
  if (status !== 0) throw new UserError(`${folder} can't be written to disk: ${stderr?.trim() || 'sync is missing'}.`);
}

function copyFiles({ config: { objectStorage }, print }: DatabaseContext, backupFolder: string): void {
  if (objectStorage.kind === 's3') {
    print(`The bucket ${objectStorage.bucket} is not copied: use its versions or replication.\n`);
  } else if (existsSync(objectStorage.directory)) {
    cpSync(objectStorage.directory, join(backupFolder, 'files'), { recursive: true });
  }
}

/** @throws {UserError} unknown, missing or wrong */
function optionsOf(args: readonly string[], { backupFolder }: Config, environment: Environment): BackupOptions {
  let parsedArgs;
  try {
    const options = { keep: { type: 'string' }, metrics: { type: 'string' } } as const;
    parsedArgs = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw wrongOption(error, args, USAGE);
  }
  const [firstArg = backupFolder, ...extraArgs] = parsedArgs.positionals;
  const { keep, metrics } = parsedArgs.values;
  const folder = requireArgument(firstArg, 'FOLDER', USAGE);
  refuseMore(extraArgs, USAGE);
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep)) {
    throw new UserError('--keep is a number of days from 1 to 9999.');
  }
  return {
    folder: callerPath(environment, folder),
    keepDays: keep === undefined ? undefined : Number(keep),
    metricsFile: metrics === undefined ? undefined : callerPath(environment, metrics),
  };
}
