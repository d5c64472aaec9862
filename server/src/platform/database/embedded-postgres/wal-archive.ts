import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBytesOf } from '../../ids.ts';
import { UserError } from '../../errors.ts';
import { changeOwner, type Sandbox } from './sandbox.ts';

/** Characters that need no quoting in a command of PostgreSQL. */
const PLAIN_PATH = /^[\w./+-]+$/;
/** A WAL file is closed and archived after this long, however little was written: no more than that is lost. */
const CLOSE_EVERY_SECONDS = 60;

/** In the archive: the id of the database whose WAL it holds. */
const OWNER_FILE = 'owner';
const ID_BYTES = 16;
/** Beside the database, so that neither a base backup nor a restore has it. */
const OWN_ID_FILE = 'wal-archive-id';

/**
 * Settings by which PostgreSQL copies each WAL file into a folder. A file is there whole or not at all; one that is
 * there with the same content was copied before a crash.
 * @param directory of the database
 * @throws {UserError} the path has blanks or signs, or the archive belongs to another database
 */
export function archiveSettings(folder: string, directory: string, sandbox: Sandbox): Record<string, string> {
  assertPlain(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  claimArchive(folder, dirname(directory));
  changeOwner(folder, sandbox);
  const file = `${folder}/%f`;
  const copy = `test ! -e ${file} && cp %p ${file}.part && sync ${file}.part && mv ${file}.part ${file}`;
  return {
    archive_mode: 'on',
    archive_timeout: `${CLOSE_EVERY_SECONDS}s`,
    archive_command: `cmp -s %p ${file} || (${copy})`,
  };
}

// A restored copy writes WAL files of the same names as the original. In one archive the first of them would
// permanently stop the original's archiving, and spoil every restore to a later point in time.
function claimArchive(folder: string, data: string): void {
  const [idFile, ownerFile] = [join(data, OWN_ID_FILE), join(folder, OWNER_FILE)];
  const owner = readText(ownerFile);
  const own = readText(idFile);
  if (owner !== undefined && owner !== own) {
    throw new UserError(
      `WAL_ARCHIVE, ${folder}, holds the WAL of another database: give the one in ${data} an empty folder, or leave WAL_ARCHIVE out.`,
    );
  }
  if (owner !== undefined) return;
  const id = own ?? randomBytesOf(ID_BYTES).toString('hex');
  if (own === undefined) writeFileSync(idFile, `${id}\n`, { mode: 0o600 });
  writeFileSync(ownerFile, `${id}\n`, { mode: 0o600 });
}

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;

/** The setting `restore_command` for a folder that {@link archiveSettings} has filled. @throws {UserError} */
export function restoreCommand(folder: string): string {
  assertPlain(folder);
  return `cp ${folder}/%f %p`;
}

function assertPlain(folder: string): void {
  if (PLAIN_PATH.test(folder)) return;
  throw new UserError(`The folder of the WAL archive, ${folder}, may hold letters, digits and . / _ + - only.`);
}
