import { monotonicMs } from '../time.ts';

type CacheReading<T> = { data: Promise<T>; readAtMs: number };

/** Share of its lifetime after which a value is refreshed in the background, while callers get the cached one. */
const REFRESH_AT_SHARE = 0.7;

/**
 * Caches one shared value, never older than `freshMs`. Refreshes it in the background before it expires, so that under
 * steady traffic no caller waits for `load`. A failed load is not cached.
 */
export function refreshingCache<T>(load: () => Promise<T>, freshMs: number, nowMs = monotonicMs): () => Promise<T> {
  let cachedReading: CacheReading<T> | undefined;
  let pendingReading: CacheReading<T> | undefined;
  const startReading = (readAtMs: number): CacheReading<T> => {
    const reading = { data: load(), readAtMs };
    pendingReading = reading;
    reading.data.then(
      () => {
        // A slow load does not replace a newer value.
        if (!cachedReading || cachedReading.readAtMs < readAtMs) cachedReading = reading;
        if (pendingReading === reading) pendingReading = undefined;
      },
      () => {
        if (pendingReading === reading) pendingReading = undefined;
      },
    );
    return reading;
  };
  return () => {
    const now = nowMs();
    if (cachedReading && now - cachedReading.readAtMs < freshMs) {
      if (!pendingReading && now - cachedReading.readAtMs >= freshMs * REFRESH_AT_SHARE) startReading(now);
      return cachedReading.data;
    }
    return (pendingReading && now - pendingReading.readAtMs < freshMs ? pendingReading : startReading(now)).data;
  };
}

/** Maximum wait of callers for a load of others, which may have been sent over a dead connection. */
const LOAD_PATIENCE_MS = 1_000;

/**
 * Caches one shared value while its version stays the same. The version is read before the value, so a value is never
 * older than its version. A failed load is not cached; later callers restart a load that hangs.
 */
export function versionedCache<T>(
  version: () => Promise<string>,
  load: () => Promise<T>,
  nowMs = monotonicMs,
): () => Promise<T> {
  type VersionedReading = { version: string; data: Promise<T>; isLoaded: boolean; sinceMs: number };
  let cachedReading: VersionedReading | undefined;
  const isHanging = ({ isLoaded, sinceMs }: VersionedReading): boolean =>
    !isLoaded && nowMs() - sinceMs >= LOAD_PATIENCE_MS;
  return async () => {
    const currentVersion = await version();
    if (cachedReading?.version === currentVersion && !isHanging(cachedReading)) return cachedReading.data;
    const reading = { version: currentVersion, data: load(), isLoaded: false, sinceMs: nowMs() };
    cachedReading = reading;
    reading.data.then(
      () => {
        reading.isLoaded = true;
      },
      () => {
        if (cachedReading === reading) cachedReading = undefined;
      },
    );
    return reading.data;
  };
}
