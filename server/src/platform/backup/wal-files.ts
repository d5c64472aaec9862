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

/** Name of the first WAL file that a restore of the backup reads. @throws {UserError} the backup has no label */
export function firstWalFile(backup: string): string {
  const label = readMember(join(backup, 'base.tar'), BACKUP_LABEL);
  const name = START_LINE.exec(label ?? '')?.[1];
  if (name === undefined)
    throw new UserError(`${backup} names no first WAL file: its base.tar has no ${BACKUP_LABEL}.`);
  return name;
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
 * Removes archived WAL that precedes all kept backups. Compares positions without timelines, so that a backup of an
 * earlier timeline keeps what it needs. Histories of timelines stay.
 * @returns number and size of the removed files
 */
export function pruneWal(archive: string, keptBackups: readonly string[]): { files: number; bytes: number } {
  const keptPositions = keptBackups.map((backup) => positionOf(firstWalFile(backup)) ?? '');
  const firstKept = keptPositions.toSorted((a, b) => (a < b ? -1 : 1))[0];
  const removed = { files: 0, bytes: 0 };
  if (firstKept === undefined || !existsSync(archive)) return removed;
  for (const name of readdirSync(archive)) {
    const position = positionOf(name);
    if (position === undefined || position >= firstKept) continue;
    const path = join(archive, name);
    removed.files += 1;
    removed.bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    rmSync(path, { force: true });
  }
  return removed;
}

const positionOf = (name: string): string | undefined => WAL_FILE.exec(name)?.groups?.['position'];
