import { lstatSync, openSync, renameSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';

export type LogFile = {
  path: string;
  descriptor: number;
  /** Where this run begins. */
  from: number;
};

const LOOK_EVERY_MS = 5_000;

/** Opens the file that PostgreSQL prints to. */
export function openLog(path: string, maxBytes: number): LogFile {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(path, `${path}.1`);
  return { path, descriptor: openSync(path, 'a', 0o600), from: size > maxBytes ? 0 : size };
}

/**
 * Keeps the file small while PostgreSQL runs, which never opens it anew: what is there is copied beside, then it begins
 * again. It is appended to, so that PostgreSQL goes on at its new end.
 * @returns ends that
 */
export function keepLogSmall(path: string, maxBytes: number): () => void {
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      if ((await stat(path)).size > maxBytes) {
        await copyFile(path, `${path}.1`);
        await truncate(path);
      }
    } catch {
      // On a full disk there is nothing to copy to, and nothing more comes: it is looked at again.
    }
    busy = false;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
