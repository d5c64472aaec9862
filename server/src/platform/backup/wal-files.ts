import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
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
 * @throws {UserError} the base.tar of a backup doesn't name its first WAL file
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
const SEGMENT_BYTES = 16 * 1024 ** 2;
const SEGMENTS_PER_LOG = 256;
/** The record at which a replay ends may continue in the next file. */
const FILES_TO_CHECK = 2;

/** `name`: without `.gz`. `number`: counts files of 16 MB since the first one of a database. */
type Segment = { fileName: string; name: string; number: number };

/** What an archive has for the restore of a backup. */
export type ArchivedWal = {
  archive: string;
  segments: Segment[];
  /** Newest file of the newest timeline; undefined: the archive has no file. */
  newest: Segment | undefined;
  /** Names of files between the first one of the backup and the newest one that neither has. */
  missing: string[];
  /** Numbers of the files that the backup contains. */
  backupNumbers: number[];
};

/**
 * Looks for gaps in an archive, at which a restore ends without an error.
 * @param first name of the first WAL file of the backup
 * @param backupNames names of the WAL files that the backup contains
 */
export function inspectArchive(archive: string, first: string, backupNames: readonly string[]): ArchivedWal {
  const segments = readdirSync(archive).flatMap((name) => parseSegmentName(name) ?? []);
  const newest = segments.toSorted((a, b) => (a.name < b.name ? -1 : 1)).at(-1);
  const backupNumbers = backupNames.flatMap((name) => parseSegmentName(name)?.number ?? []);
  const presentNumbers = new Set([...segments.map(({ number }) => number), ...backupNumbers]);
  const missing: string[] = [];
  for (let number = parseSegmentName(first)?.number ?? 0; newest && number < newest.number; number += 1) {
    if (!presentNumbers.has(number)) missing.push(formatSegmentName(newest.name, number));
  }
  return { archive, segments, newest, missing, backupNumbers };
}

/**
 * Names the file at which a replay ended, with its fault; undefined: it reached the end of the archive.
 * @param replayedBytes position after the last record that was replayed
 */
export function explainReplayEnd(wal: ArchivedWal, replayedBytes: number): string | undefined {
  const { newest } = wal;
  // The position after a closed file is the start of the next one, so the newest one was read only if it is beyond that.
  if (newest === undefined || replayedBytes > newest.number * SEGMENT_BYTES) return undefined;
  const lastNumber = Math.floor(replayedBytes / SEGMENT_BYTES);
  for (let number = lastNumber; number < lastNumber + FILES_TO_CHECK && number <= newest.number; number += 1) {
    const copies = wal.segments.filter((segment) => segment.number === number);
    const name = formatSegmentName(newest.name, number);
    if (copies.length === 0 && !wal.backupNumbers.includes(number)) return `${name}, which is missing`;
    if (copies.length > 0 && !copies.some(({ fileName }) => isWhole(join(wal.archive, fileName)))) {
      return `${name}, which is damaged`;
    }
  }
  return `${formatSegmentName(newest.name, lastNumber)}, of which or of the next file the content is damaged`;
}

function isWhole(path: string): boolean {
  if (!path.endsWith('.gz')) return statSync(path).size === SEGMENT_BYTES;
  return spawnSync('gzip', ['-t', path]).status === 0;
}

/** Bytes before a position of WAL as PostgreSQL writes it, such as `0/5000028`. */
export function parseWalPosition(text: string): number {
  const [high = '', low = ''] = text.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

function parseSegmentName(fileName: string): Segment | undefined {
  const [, timeline = '', log = '', segment = ''] = SEGMENT_NAME.exec(fileName) ?? [];
  if (timeline === '') return undefined;
  const number = Number.parseInt(log, 16) * SEGMENTS_PER_LOG + Number.parseInt(segment, 16);
  return { fileName, name: timeline + log + segment, number };
}

/** @param sibling name of a file of the same timeline */
function formatSegmentName(sibling: string, number: number): string {
  const parts = [Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG];
  return sibling.slice(0, 8) + parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
}
