import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Destination of log lines. */
export type LogOutput = { write(line: string): void };

/** Maximum number of files: the current one and the rotated ones. */
const FILES_MAX = 5;

/**
 * A rotating log file: `server.log`, `server.log.1` and so on, the oldest last. The operating system has a line when
 * `write` returns, so a crash of the process loses none. A line is never split over two files. Throws when the file
 * can't be opened; later, lines that can't be written are dropped.
 * @param maxBytes total of all files
 */
export function openRotatingFile(path: string, maxBytes: number): LogOutput {
  const fileBytes = Math.floor(maxBytes / FILES_MAX);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = open(path);
  let size = fstatSync(descriptor).size;
  const rotate = () => {
    // Opens the next file first: if that fails, the current file stays in use, and the next line retries.
    const nextDescriptor = open(`${path}.next`);
    shiftFiles(path);
    closeSync(descriptor);
    descriptor = nextDescriptor;
    size = 0;
    removeOldest(path, maxBytes - fileBytes);
  };
  removeOldest(path, maxBytes - fileBytes);
  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (size > 0 && size + bytes.length > fileBytes) ignoreFailure(rotate);
      ignoreFailure(() => {
        writeWhole(descriptor, bytes);
        size += bytes.length;
      });
    },
  };
}

const open = (path: string): number => openSync(path, 'a', 0o600);

function shiftFiles(path: string): void {
  for (let number = FILES_MAX - 1; number > 0; number -= 1) {
    const newer = number === 1 ? path : `${path}.${number - 1}`;
    if (existsSync(newer)) renameSync(newer, `${path}.${number}`);
  }
  renameSync(`${path}.next`, path);
}

// Includes files of an earlier start with a higher limit.
function removeOldest(path: string, maxBytes: number): void {
  let totalBytes = 0;
  for (let number = 1; number < FILES_MAX; number += 1) {
    const older = `${path}.${number}`;
    totalBytes += statSync(older, { throwIfNoEntry: false })?.size ?? 0;
    if (totalBytes > maxBytes) rmSync(older, { force: true });
  }
}

// Writes all or nothing: half a line would corrupt the next one as well.
function writeWhole(descriptor: number, bytes: Buffer): void {
  let writtenBytes = 0;
  try {
    while (writtenBytes < bytes.length) writtenBytes += writeSync(descriptor, bytes, writtenBytes);
  } catch (error) {
    if (writtenBytes > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - writtenBytes);
    throw error;
  }
}

function ignoreFailure(write: () => void): void {
  try {
    write();
  } catch {
    // On a full disk lines are dropped; the server continues.
  }
}
