import { monotonicMs } from '../time.ts';

type Reading<T> = { data: Promise<T>; readAtMs: number };

/** A value older than this part of its lifetime is refreshed in the background while callers get the cached one. */
const REFRESH_AT = 0.7;

/**
 * Caches one shared value: never answers one older than `freshMs`, and refreshes in the background before it expires,
 * so that under steady traffic no caller waits for `load`. A failed load is not cached.
 */
export function refreshingCache<T>(load: () => Promise<T>, freshMs: number, nowMs = monotonicMs): () => Promise<T> {
  let held: Reading<T> | undefined;
  let coming: Reading<T> | undefined;
  const read = (readAtMs: number): Reading<T> => {
    const reading = { data: load(), readAtMs };
    coming = reading;
    reading.data.then(
      () => {
        // A slow load does not replace a newer value.
        if (!held || held.readAtMs < readAtMs) held = reading;
        if (coming === reading) coming = undefined;
      },
      () => {
        if (coming === reading) coming = undefined;
      },
    );
    return reading;
  };
  return () => {
    const now = nowMs();
    if (held && now - held.readAtMs < freshMs) {
      if (!coming && now - held.readAtMs >= freshMs * REFRESH_AT) read(now);
      return held.data;
    }
    return (coming && now - coming.readAtMs < freshMs ? coming : read(now)).data;
  };
}

/** Callers wait no longer than this for a load that others have begun: it may have been sent over a dead connection. */
const PATIENCE_MS = 1_000;

/**
 * Caches one shared value for as long as its version stays the same. A value is loaded after its version was read, so
 * it is never older than the version that it is kept under. A failed load is not cached, and one that hangs is started
 * again by those who come later.
 */
export function versionedCache<T>(
  version: () => Promise<string>,
  load: () => Promise<T>,
  nowMs = monotonicMs,
): () => Promise<T> {
  type Reading = { version: string; data: Promise<T>; isLoaded: boolean; sinceMs: number };
  let held: Reading | undefined;
  const isHanging = ({ isLoaded, sinceMs }: Reading): boolean => !isLoaded && nowMs() - sinceMs >= PATIENCE_MS;
  return async () => {
    const current = await version();
    if (held?.version === current && !isHanging(held)) return held.data;
    const reading = { version: current, data: load(), isLoaded: false, sinceMs: nowMs() };
    held = reading;
    reading.data.then(
      () => {
        reading.isLoaded = true;
      },
      () => {
        if (held === reading) held = undefined;
      },
    );
    return reading.data;
  };
}
