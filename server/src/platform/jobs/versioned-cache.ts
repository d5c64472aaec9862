/**
 * Caches one shared value for as long as its version stays the same. A value is loaded after its version was read, so it
 * is never older than the version that it is kept under. A failed load is not cached.
 */
export function versionedCache<T>(version: () => Promise<string>, load: () => Promise<T>): () => Promise<T> {
  let held: { version: string; data: Promise<T> } | undefined;
  return async () => {
    const current = await version();
    if (held?.version === current) return held.data;
    const reading = { version: current, data: load() };
    held = reading;
    reading.data.catch(() => {
      if (held === reading) held = undefined;
    });
    return reading.data;
  };
}
