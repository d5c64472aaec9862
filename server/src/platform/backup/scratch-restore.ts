import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAJOR_VERSION, locateBinaries } from '../database/embedded-postgres/data-directory.ts';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../database/embedded-postgres/launch.ts';
import { isRunning } from '../database/embedded-postgres/process.ts';
import { chooseSandbox, changeOwner } from '../database/embedded-postgres/sandbox.ts';
import { restoreCommand } from '../database/embedded-postgres/wal-archive.ts';
import { UserError } from '../errors.ts';
import { readVerifiedManifest } from './manifest.ts';

const SCRATCH_PREFIX = '.verify-';
/** WAL that the recovery writes and reads, beside the database. */
const RECOVERY_BYTES = 1024 ** 3;
const MEGABYTE = 1024 ** 2;
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

export type ScratchRequest = {
  /** Path of the backup. */
  backup: string;
  walArchive: string | undefined;
  user: string;
  database: string;
  /** Most time of the recovery. */
  timeoutMs: number;
};
export type Scratch = {
  postgres: EmbeddedPostgres;
  /** Names of the WAL files in the backup. */
  backupWal: string[];
  remove: () => Promise<void>;
};

/**
 * Restores a backup to a folder beside it and starts it, with a socket only and without archiving.
 * @throws {UserError} the disk has too little space, or the backup can't be restored
 */
export async function restoreToScratch(parent: string, request: ScratchRequest): Promise<Scratch> {
  sweepScratch(parent);
  assertSpace(parent, join(request.backup, 'base.tar'), RECOVERY_BYTES);
  const binaries = locateBinariesFor((await readVerifiedManifest(request.backup)).postgresMajor);
  const folder = join(parent, `${SCRATCH_PREFIX}${process.pid}`);
  const directory = join(folder, 'postgres');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    unpackDatabase(request.backup, directory);
    const backupWal = readdirSync(join(directory, 'pg_wal'));
    const postgres = await startCopy(directory, binaries, request);
    return {
      postgres,
      backupWal,
      async remove() {
        await postgres.stop().finally(remove);
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Removes scratch folders of killed verifications. In a container one may have had the process id of this process. */
function sweepScratch(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(SCRATCH_PREFIX)) continue;
    const pid = Number(name.slice(SCRATCH_PREFIX.length));
    if (pid !== process.pid && isRunning(pid)) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * Unpacks the database of a backup. Files get the local user of the database, not the owner on the original machine.
 * @throws {UserError} with the first message of tar, which prints one for each file when the disk is full
 */
export function unpackDatabase(backup: string, directory: string): void {
  const tarArgs = ['--no-same-owner', '-xpf', join(backup, 'base.tar'), '-C', directory];
  const { status, stderr } = spawnSync('tar', tarArgs, { encoding: 'utf8' });
  if (status === 0) return;
  const [message = ''] = stderr?.trim().split('\n') ?? [];
  throw new UserError(`base.tar can't be unpacked: ${message || 'tar is missing'}.`);
}

/** @throws {UserError} the disk of a folder has too little space for a database and its recovery */
export function assertSpace(parent: string, archive: string, recoveryBytes = 0): void {
  const { bavail, bsize } = statfsSync(parent);
  const [freeBytes, neededBytes] = [bavail * bsize, statSync(archive).size + recoveryBytes];
  if (freeBytes >= neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / MEGABYTE)} MB`;
  throw new UserError(
    `${parent} has ${megabytes(freeBytes)} free, and a restore needs ${megabytes(neededBytes)}: free some space. Nothing was changed.`,
  );
}

/** Folder with the programs of a major version: the embedded ones, or Debian's. */
function locateBinariesFor(major: number): string {
  if (String(major) === MAJOR_VERSION) return locateBinaries();
  const folder = join(DEBIAN_POSTGRES, String(major));
  if (existsSync(join(folder, 'bin/postgres'))) return folder;
  throw new UserError(
    `This backup is of PostgreSQL ${major}, whose programs are not on this machine: install postgresql-${major} (docs/deploy/backup.md).`,
  );
}

async function startCopy(directory: string, binaries: string, request: ScratchRequest): Promise<EmbeddedPostgres> {
  const { walArchive, user, database, timeoutMs } = request;
  rmSync(join(directory, 'standby.signal'), { force: true });
  if (walArchive !== undefined) writeFileSync(join(directory, 'recovery.signal'), '');
  const accessFile = join(directory, 'verify_hba.conf');
  writeFileSync(accessFile, 'local all all trust\n');
  changeOwner(directory, chooseSandbox(binaries));
  return launchEmbeddedPostgres({
    directory,
    durable: false,
    existing: { binaries, user, database },
    readyTimeoutMs: timeoutMs,
    settings: {
      // The server of the backup may use files and standbys that this machine does not have.
      hba_file: accessFile,
      ssl: 'off',
      shared_preload_libraries: '',
      synchronous_standby_names: '',
      primary_conninfo: '',
      logging_collector: 'off',
      log_destination: 'stderr',
      archive_mode: 'off',
      autovacuum: 'off',
      max_wal_size: '256MB',
      hot_standby: 'off',
      recovery_target: '',
      recovery_target_time: '',
      recovery_target_action: 'promote',
      restore_command: walArchive === undefined ? '' : restoreCommand(walArchive),
    },
  });
}
