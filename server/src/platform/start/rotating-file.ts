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

/** The current file and the rotated ones. */
const FILES = 5;

/**
 * A rotating log file: `server.log`, `server.log.1` and so on, the oldest last. A line has been handed to the operating
 * system when `write` returns, so that a crash of the process loses none, and is never split over two files. Throws
 * when the file can't be opened; later, lines that can't be written are dropped.
 * @param maxBytes of all of them together
 */
export function openRotatingFile(path: string, maxBytes: number): LogOutput {
  const fileBytes = Math.floor(maxBytes / FILES);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = open(path);
  let size = fstatSync(descriptor).size;
  const startNext = () => {
    // The step that may fail comes first: when it does, this file is used further, and the next line retries.
    const next = open(`${path}.next`);
    moveUp(path);
    closeSync(descriptor);
    descriptor = next;
    size = 0;
    removeOldest(path, maxBytes - fileBytes);
  };
  removeOldest(path, maxBytes - fileBytes);
  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (size > 0 && size + bytes.length > fileBytes) attempt(startNext);
      attempt(() => {
        writeWhole(descriptor, bytes);
        size += bytes.length;
      });
    },
  };
}

const open = (path: string): number => openSync(path, 'a', 0o600);

function moveUp(path: string): void {
  for (let number = FILES - 1; number > 0; number -= 1) {
    const newer = number === 1 ? path : `${path}.${number - 1}`;
    if (existsSync(newer)) renameSync(newer, `${path}.${number}`);
  }
  renameSync(`${path}.next`, path);
}

// Also files that an earlier start with a higher bound has left.
function removeOldest(path: string, maxBytes: number): void {
  let sum = 0;
  for (let number = 1; number < FILES; number += 1) {
    const older = `${path}.${number}`;
    sum += statSync(older, { throwIfNoEntry: false })?.size ?? 0;
    if (sum > maxBytes) rmSync(older, { force: true });
  }
}

// All or nothing: half a line would corrupt the next one as well.
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (written > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - written);
    throw error;
  }
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // On a full disk lines are dropped; the server runs on.
  }
}
