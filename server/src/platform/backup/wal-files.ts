import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';

/** A WAL file, a partial one or the history of a backup; timeline and position are hexadecimal. `.part`: being written. */
const WAL_FILE =
  /^(?<timeline>[\dA-F]{8})(?<position>[\dA-F]{16})(?:\.partial|\.[\dA-F]{8}\.backup)?(?:\.gz|\.part|\.gz\.part)?$/;
const BACKUP_LABEL = 'backup_label';
const START_LINE = /^START WAL LOCATION: .* \(file ([\dA-F]{24})\)$/m;
const TAR_BLOCK_BYTES = 512;
/** The label precedes the files of the database. */
const MEMBERS_READ = 10;

/** Name of the first WAL file that a restore of the backup reads. @throws {UserError} it can't be read */
export function readFirstWalFile(backup: string): string {
  let label: string | undefined;
  try {
    label = readMember(join(backup, 'base.tar'), BACKUP_LABEL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
  const name = START_LINE.exec(label ?? '')?.[1];
  if (name !== undefined) return name;
  throw new UserError(`${backup} is damaged: its base.tar names no first WAL file (docs/runbooks/backups.md).`);
}

/** Text of one of the first members of a tar archive. */
function readMember(archive: string, memberName: string): string | undefined {
  const descriptor = openSync(archive, 'r');
  try {
    for (let offset = 0, member = 0; member < MEMBERS_READ; member += 1) {
      const header = readAt(descriptor, offset, TAR_BLOCK_BYTES);
      const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
      const sizeBytes = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
      if (name === '') return undefined;
      if (name === memberName) return readAt(descriptor, offset + TAR_BLOCK_BYTES, sizeBytes).toString('utf8');
      offset += TAR_BLOCK_BYTES + Math.ceil(sizeBytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const readBytes = readSync(descriptor, buffer, 0, length, offset);
  return buffer.subarray(0, readBytes);
}

/**
 * Name of the first WAL file that any of the backups needs; undefined without a backup. Compares positions without
 * timelines, so that a backup of an earlier timeline keeps what it needs.
 * @throws {UserError} a backup is damaged so much that it doesn't say what it needs
 */
export function findFirstNeededWal(backups: readonly string[]): string | undefined {
  const position = (name: string): string => parsePosition(name) ?? '';
  return backups.map(readFirstWalFile).toSorted((a, b) => (position(a) < position(b) ? -1 : 1))[0];
}

/**
 * Removes archived WAL that precedes a file, whatever its timeline. Histories of timelines stay.
 * @returns number and size of the removed files
 */
export function pruneWal(archive: string, firstNeeded: string): { files: number; bytes: number } {
  const firstNeededPosition = parsePosition(firstNeeded);
  const removed = { files: 0, bytes: 0 };
  if (firstNeededPosition === undefined || !existsSync(archive)) return removed;
  for (const name of readdirSync(archive)) {
    const position = parsePosition(name);
    if (position === undefined || position >= firstNeededPosition) continue;
    const path = join(archive, name);
    removed.files += 1;
    removed.bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    rmSync(path, { force: true });
  }
  return removed;
}

const parsePosition = (name: string): string | undefined => WAL_FILE.exec(name)?.groups?.['position'];

/** A completed WAL file in an archive or in a data directory. */
const SEGMENT_NAME = /^([\dA-F]{8})([\dA-F]{8})([\dA-F]{8})(?:\.gz)?$/;
const SEGMENTS_PER_LOG = 256;

/** What an archive has for the restore of a backup. Numbers count files of 16 MB since the first one. */
export type ArchivedWal = {
  /** Newest file of the newest timeline; undefined: the archive has no file. */
  newest: { name: string; number: number } | undefined;
  /** Files between the first one of the backup and the newest one that neither has. */
  missing: string[];
};

/**
 * Looks for gaps in an archive, at which a restore ends without an error.
 * @param first name of the first WAL file of the backup
 * @param ownNames names of the WAL files that the backup contains
 */
export function inspectArchive(archive: string, first: string, ownNames: readonly string[]): ArchivedWal {
  const archived = readdirSync(archive).flatMap((name) => parseSegmentName(name) ?? []);
  const newest = archived.toSorted((a, b) => (a.name < b.name ? -1 : 1)).at(-1);
  const presentNumbers = new Set(
    [...archived, ...ownNames.flatMap((name) => parseSegmentName(name) ?? [])].map((file) => file.number),
  );
  const missing: string[] = [];
  for (let number = parseSegmentName(first)?.number ?? 0; newest && number < newest.number; number += 1) {
    if (!presentNumbers.has(number)) missing.push(formatSegmentName(newest.name.slice(0, 8), number));
  }
  return { newest, missing };
}

function parseSegmentName(fileName: string): { name: string; number: number } | undefined {
  const [, timeline = '', log = '', segment = ''] = SEGMENT_NAME.exec(fileName) ?? [];
  if (timeline === '') return undefined;
  const number = Number.parseInt(log, 16) * SEGMENTS_PER_LOG + Number.parseInt(segment, 16);
  return { name: timeline + log + segment, number };
}

function formatSegmentName(timeline: string, number: number): string {
  const parts = [Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG];
  return timeline + parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
}
