import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { APP_VERSION } from '@krapao/contract/constants';
import { entriesByAccounts } from '../ledger/index.ts';
import { formatBackupName, listBackups, pruneBackups } from '../platform/backup/folder.ts';
import {
  type BackupManifest,
  MANIFEST_NAME,
  MEMBER_FILES,
  computeSha256,
  measureFiles,
} from '../platform/backup/manifest.ts';
import { publishNeededWal } from '../platform/backup/needed-wal.ts';
import { findFirstNeededWal, pruneWal } from '../platform/backup/wal-files.ts';
import { type Config, type Environment, readConfig } from '../platform/config.ts';
import { opensCheck, readSecretBox } from '../platform/crypto/encryption.ts';
import { takeBaseBackup } from '../platform/database/base-backup.ts';
import { assertOwnArchive } from '../platform/database/embedded-postgres/wal-archive.ts';
import { UserError } from '../platform/errors.ts';
import { monotonicMs, systemClock } from '../platform/time.ts';
import { refuseMore, requireArgument, wrongOption } from './arguments.ts';
import { callerPath } from './document-file.ts';
import { explainFileFailure } from './explain-failure.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { asWriteError, type Command, type DatabaseContext, withDatabase } from './run-command.ts';

const WAL_FILE_BYTES = 16 * 1024 ** 2;
const VERSIONS_PER_MAJOR = 10_000;
export const USAGE = 'Say where to: krapao backup [FOLDER] [--keep DAYS] [--metrics FILE]; or `krapao backup verify`.';

type BackupOptions = { folder: string; retentionDays: number | undefined; metricsFile: string | undefined };

export const backup: Command = async (args, io) => {
  if (args[0] === 'verify') return (await import('./verify-backup.ts')).verifyBackup(args.slice(1), io);
  const options = parseOptions(args, readConfig(io.environment), io.environment);
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
      timestamp_seconds: findNewestSeconds(options.folder),
    });
  }
};

/** Start of the newest complete backup; undefined without one. */
function findNewestSeconds(folder: string): number | undefined {
  try {
    const newest = listBackups(folder).complete.at(-1);
    return newest && secondsOf(newest.at);
  } catch {
    return undefined;
  }
}

async function takeBackup({ folder, retentionDays }: BackupOptions, context: DatabaseContext): Promise<number> {
  refuseCopiedFolder(folder, context.config);
  const startedAt = systemClock.now();
  const backupPath = join(folder, formatBackupName(startedAt));
  createFolder(backupPath);
  try {
    await writeBackup(backupPath, startedAt.toISOString(), context);
  } catch (error) {
    const fullDisk = explainFullDataDisk(context.config);
    // An incomplete backup can't be restored, and occupies the space that the next one needs.
    rmSync(backupPath, { recursive: true, force: true });
    // A UserError with a cause is a database failure, which a full disk may explain.
    if (error instanceof UserError && error.cause === undefined) throw error;
    throw fullDisk ?? (error instanceof UserError ? error : asWriteError(backupPath, error));
  }
  context.print(`${backupPath}\n`);
  if (retentionDays === undefined) return 0;
  try {
    await prune(folder, retentionDays, context);
    return 0;
  } catch (error) {
    if (!(error instanceof UserError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    context.printError(
      `The backup is complete, but old backups or WAL were not all removed: ${(error as Error).message}\n`,
    );
    return 1;
  }
}

/** @throws {UserError} the folder is in one that the backup copies, and would be lost with it */
function refuseCopiedFolder(folder: string, { dataDirectory, objectStorage }: Config): void {
  const copiedFolders = [
    join(dataDirectory, 'postgres'),
    ...(objectStorage.kind === 's3' ? [] : [objectStorage.directory]),
  ];
  const copied = copiedFolders.find((path) => !relative(path, folder).startsWith('..'));
  if (copied !== undefined)
    throw new UserError(`${folder} is in ${copied}, which a backup copies: name another folder.`);
}

/** PostgreSQL ends when it has no room for a WAL file, and then its connection says nothing of a disk. */
function explainFullDataDisk({ databaseUrl, dataDirectory }: Config): UserError | undefined {
  if (databaseUrl !== undefined) return undefined;
  const { bavail, bsize } = statfsSync(dataDirectory);
  if (bavail * bsize >= WAL_FILE_BYTES) return undefined;
  return new UserError(`The disk of ${dataDirectory} is full: free some space (docs/runbooks/disk-full.md).`);
}

/** Removes what the retention doesn't need. Runs only after a complete backup was written durably. */
async function prune(
  folder: string,
  retentionDays: number,
  { config, database, print, printError }: DatabaseContext,
): Promise<void> {
  const { walArchive, databaseUrl, dataDirectory } = config;
  const { retained, removed, misdated } = pruneBackups(folder, retentionDays, systemClock.now());
  for (const path of removed) print(`removed ${path}\n`);
  for (const path of misdated) {
    printError(
      `${path} is dated in the future: it is never the newest, and never removed. Rename it by its real time.\n`,
    );
  }
  const neededWal = findFirstNeededWal([...retained, ...listOtherBackups(folder, config)]);
  if (neededWal === undefined) return;
  if (databaseUrl !== undefined && !(await publishNeededWal(database, neededWal))) {
    print(
      `WAL before ${neededWal} is not needed; the user of DATABASE_URL may not note it for the database servers.\n`,
    );
  }
  if (walArchive === undefined) return;
  assertOwnArchive(walArchive, databaseUrl === undefined ? dataDirectory : undefined);
  const { files, bytes } = pruneWal(walArchive, neededWal);
  if (files > 0) print(`removed ${files} WAL ${files === 1 ? 'file' : 'files'}, ${Math.ceil(bytes / 1024 ** 2)} MB\n`);
}

/**
 * Paths of the backups in BACKUP_FOLDER, if another folder is pruned: they need archived WAL too.
 * @throws {UserError} the folder can't be read, for example while its disk is not mounted
 */
function listOtherBackups(folder: string, { backupFolder }: Config): string[] {
  if (backupFolder === undefined) return [];
  try {
    if (realpathSync(folder) === realpathSync(backupFolder)) return [];
    const { complete, damaged, misdated } = listBackups(backupFolder);
    return [...complete.map(({ path }) => path), ...damaged, ...misdated];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    const cause = explainFileFailure(error) ?? (error as Error).message;
    throw new UserError(`No archived WAL is removed, as backups in BACKUP_FOLDER may need it: ${cause}`, {
      cause: error,
    });
  }
}

/**
 * Fails when the folder exists: removing an incomplete backup must not remove another one of the same second.
 */
function createFolder(backupPath: string): void {
  try {
    mkdirSync(dirname(backupPath), { recursive: true, mode: 0o700 });
    mkdirSync(backupPath, { mode: 0o700 });
  } catch (error) {
    throw asWriteError(backupPath, error);
  }
}

async function writeBackup(backupPath: string, startedAt: string, context: DatabaseContext): Promise<void> {
  const { database, config, url } = context;
  const filesBesideDatabase = [
    ['secrets.json', config.secretsFile],
    ['outside.json', config.outsideFile],
  ] as const;
  for (const [, path] of filesBesideDatabase) assertReadable(path);
  if ((await opensCheck(database, readSecretBox(config.secretsFile))) === false) {
    throw new UserError(
      `${config.secretsFile} does not open this database: put back the copy of the newest complete backup (docs/runbooks/backups.md). No backup was made, and none was removed.`,
    );
  }
  const { rows } = await database.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  const ledgerEntries = await entriesByAccounts(database);
  const files = await takeBaseBackup(url, backupPath);
  const databaseEndedAt = systemClock.now().toISOString();
  // Copied after the database, so that it has the key of every encrypted row.
  for (const [name, path] of filesBesideDatabase) {
    assertReadable(path);
    copyFileSync(path, join(backupPath, name));
    chmodSync(join(backupPath, name), 0o600);
    files.push({ name, sha256: await computeSha256(join(backupPath, name)) });
  }
  const sizedFiles = files.map((file) => ({ ...file, bytes: statSync(join(backupPath, file.name)).size }));
  // Copied after the database, so that every file that a row names is present.
  copyFiles(context, backupPath);
  const postgresMajor = Math.floor((rows[0]?.number ?? 0) / VERSIONS_PER_MAJOR);
  const manifest: BackupManifest = {
    at: startedAt,
    databaseEndedAt,
    appVersion: APP_VERSION,
    postgresMajor,
    files: sizedFiles,
    ...(context.config.objectStorage.kind !== 's3' && { memberFiles: measureFiles(join(backupPath, MEMBER_FILES)) }),
    ledgerEntries,
  };
  // A power cut must not leave a manifest of files that are lost, while older backups are removed.
  syncDisk(backupPath);
  writeFileSync(join(backupPath, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  syncDisk(backupPath);
}

/** @throws {UserError} a file is missing or unreadable without which no backup can be restored */
function assertReadable(path: string): void {
  try {
    readFileSync(path);
  } catch (error) {
    const explanation = explainFileFailure(error, path) ?? `${path} can't be read (${(error as Error).message}).`;
    throw new UserError(`${explanation} A backup without it can't be restored.`, { cause: error });
  }
}

/** Waits until the file system of a folder is written to disk. */
function syncDisk(folder: string): void {
  const { status, stderr } = spawnSync('sync', ['-f', folder], { encoding: 'utf8' });
  if (status !== 0) throw new UserError(`${folder} can't be written to disk: ${stderr?.trim() || 'sync is missing'}.`);
}

function copyFiles({ config: { objectStorage }, print }: DatabaseContext, backupPath: string): void {
  if (objectStorage.kind === 's3') {
    print(`The bucket ${objectStorage.bucket} is not copied: use its versions or replication.\n`);
  } else if (existsSync(objectStorage.directory)) {
    cpSync(objectStorage.directory, join(backupPath, MEMBER_FILES), { recursive: true });
  }
}

/** @throws {UserError} an option is unknown, missing or invalid */
function parseOptions(args: readonly string[], { backupFolder }: Config, environment: Environment): BackupOptions {
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
    retentionDays: keep === undefined ? undefined : Number(keep),
    metricsFile: metrics === undefined ? undefined : callerPath(environment, metrics),
  };
}
