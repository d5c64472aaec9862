import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';
import { randomBytesOf } from '../../ids.ts';
import { changeOwner, type Sandbox } from './sandbox.ts';

/** Paths that need no quoting in a command of PostgreSQL. */
const PLAIN_PATH = /^[\w./+-]+$/;
/** A WAL file is closed after this long, even if nearly empty (docs/decisions/archived-wal.md). */
const SEGMENT_CLOSE_SECONDS = 45;

/** File in the archive with the id of the database that owns the archive. */
const OWNER_FILE = 'owner';
const ID_BYTES = 16;
/** File beside the database with its id, where neither a base backup nor a restore includes it. */
const DATA_ID_FILE = 'wal-archive-id';

/**
 * Settings with which PostgreSQL archives each WAL file in a folder.
 * @param directory of the database
 * @throws {UserError} the path needs quoting, or the archive belongs to another database
 */
export function archiveSettings(folder: string, directory: string, sandbox: Sandbox): Record<string, string> {
  assertPlain(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  claimArchive(folder, dirname(directory));
  changeOwner(folder, sandbox);
  return {
    archive_mode: 'on',
    archive_timeout: `${SEGMENT_CLOSE_SECONDS}s`,
    archive_command: archiveCommand(folder),
  };
}

// Refuses the archive of another database. A restored copy writes WAL files with the same names as the original: the
// first of them would permanently stop the original's archiving and spoil every later point-in-time restore.
function claimArchive(folder: string, data: string): void {
  const [idFile, ownerFile] = [join(data, DATA_ID_FILE), join(folder, OWNER_FILE)];
  const archiveOwnerId = readText(ownerFile);
  const dataId = readText(idFile);
  if (archiveOwnerId !== undefined && archiveOwnerId !== dataId) {
    throw new UserError(
      `WAL_ARCHIVE, ${folder}, holds the WAL of another database: give the one in ${data} an empty folder, or leave WAL_ARCHIVE out.`,
    );
  }
  if (archiveOwnerId !== undefined) return;
  const id = dataId ?? randomBytesOf(ID_BYTES).toString('hex');
  if (dataId === undefined) writeFileSync(idFile, `${id}\n`, { mode: 0o600 });
  writeFileSync(ownerFile, `${id}\n`, { mode: 0o600 });
}

/**
 * Refuses to remove files from the archive of another database.
 * @param data folder of the embedded database; undefined: a server that archives without an owner file
 * @throws {UserError}
 */
export function assertOwnArchive(folder: string, data: string | undefined): void {
  const archiveOwnerId = readText(join(folder, OWNER_FILE));
  const dataId = data === undefined ? undefined : readText(join(data, DATA_ID_FILE));
  if (archiveOwnerId === dataId && (data === undefined || dataId !== undefined)) return;
  throw new UserError(`WAL_ARCHIVE, ${folder}, is not the archive of this database: none of its files was removed.`);
}

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;

/**
 * The setting `archive_command`: compresses a WAL file into the folder durably and atomically, and replaces none. An
 * existing file with the same content, compressed or not, was archived before a crash. `deploy` has the same command.
 */
export function archiveCommand(folder: string): string {
  assertPlain(folder);
  const file = `${folder}/%f`;
  const isSame = `gzip -t ${file}.gz && gzip -cd ${file}.gz | cmp -s - %p`;
  const compress = `gzip -4nc %p > ${file}.part && sync ${file}.part && mv ${file}.part ${file}.gz && sync ${folder}`;
  return `if test -e ${file}.gz; then ${isSame}; elif test -e ${file}; then cmp -s %p ${file}; else ${compress}; fi`;
}

/** The setting `restore_command` for a folder filled by {@link archiveCommand}, or uncompressed. @throws {UserError} */
export function restoreCommand(folder: string): string {
  assertPlain(folder);
  const file = `${folder}/%f`;
  return `if test -e ${file}.gz; then gzip -cd ${file}.gz > %p; else cp ${file} %p; fi`;
}

function assertPlain(folder: string): void {
  if (PLAIN_PATH.test(folder)) return;
  throw new UserError(`The folder of the WAL archive, ${folder}, may hold letters, digits and . / _ + - only.`);
}
