import { monotonicMs } from '../clock.ts';

/** Callers wait no longer than this for a load that others have begun: it may have been sent over a dead connection. */
const PATIENCE_MS = 1_000;

/**
 * Caches one shared value for as long as its version stays the same. A value is loaded after its version was read, so it
 * is never older than the version that it is kept under. A failed load is not cached, and one that hangs is started again
 * by those who come later.
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
