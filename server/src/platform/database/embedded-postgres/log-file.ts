import { lstatSync, openSync, renameSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';

export type LogFile = {
  path: string;
  descriptor: number;
  /** Where this run begins. */
  from: number;
};

const CHECK_EVERY_MS = 5_000;

/** Opens the file that PostgreSQL prints to. */
export function openLog(path: string, maxBytes: number): LogFile {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(path, `${path}.1`);
  return { path, descriptor: openSync(path, 'a', 0o600), from: size > maxBytes ? 0 : size };
}

/**
 * Rotates the file while PostgreSQL runs, which never reopens it: the content is copied to a second file, then the
 * first is truncated. It is opened for appending, so that PostgreSQL continues at its new end.
 * @returns stops the rotation
 */
export function rotateLog(path: string, maxBytes: number): () => void {
  let busy = false;
  const rotateIfNeeded = async () => {
    if (busy) return;
    busy = true;
    try {
      if ((await stat(path)).size > maxBytes) {
        await copyFile(path, `${path}.1`);
        await truncate(path);
      }
    } catch {
      // On a full disk the copy fails, and nothing more can be logged: the next interval retries.
    }
    busy = false;
  };
  const timer = setInterval(() => void rotateIfNeeded(), CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
