import { mkdirSync } from 'node:fs';
import { CannotStart } from '../../start/cannot-start.ts';
import { handOver, type Sandbox } from './sandbox.ts';

/** What stands in a command of PostgreSQL without being quoted. */
const PLAIN_PATH = /^[\w./+-]+$/;
/** A WAL file is closed and archived after this long, however little was written: no more than that is lost. */
const CLOSE_EVERY_SECONDS = 60;

/**
 * Settings by which PostgreSQL copies each WAL file into a folder. A file is there whole or not at all; one that is
 * there with the same content was copied before a crash.
 * @throws {CannotStart} the path has blanks or signs
 */
export function archiveSettings(folder: string, sandbox: Sandbox): Record<string, string> {
  assertPlain(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  handOver(folder, sandbox);
  const file = `${folder}/%f`;
  const copy = `test ! -e ${file} && cp %p ${file}.part && sync ${file}.part && mv ${file}.part ${file}`;
  return {
    archive_mode: 'on',
    archive_timeout: `${CLOSE_EVERY_SECONDS}s`,
    archive_command: `cmp -s %p ${file} || (${copy})`,
  };
}

/** The setting `restore_command` for a folder that {@link archiveSettings} has filled. @throws {CannotStart} */
export function restoreCommand(folder: string): string {
  assertPlain(folder);
  return `cp ${folder}/%f %p`;
}

function assertPlain(folder: string): void {
  if (PLAIN_PATH.test(folder)) return;
  throw new CannotStart(`The folder of the WAL archive, ${folder}, may hold letters, digits and . / _ + - only.`);
}
