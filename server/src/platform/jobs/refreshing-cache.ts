import { monotonicMs } from '../clock.ts';

type Reading<T> = { data: Promise<T>; readAtMs: number };

/** A value older than this part of its lifetime is refreshed in the background while callers get the cached one. */
const REFRESH_AT = 0.7;

/**
 * Caches one shared value: never answers one older than `freshMs`, and refreshes in the background before it expires, so
 * that under steady traffic no caller waits for `load`. A failed load is not cached.
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
