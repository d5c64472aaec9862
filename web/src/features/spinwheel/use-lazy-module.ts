import { useCallback, useEffect, useState } from 'react';
import { onReconnect } from '../../shell/connection.ts';
import { handleChunkError } from '../../routing/navigation.ts';

/** `part` is undefined until loaded; `load` retries immediately if it is missing. */
export type LazyModule<T> = { part: T | undefined; load: () => void };

/**
 * A lazily loaded module of the page. A failed load is retried on reconnection.
 * @param isWanted starts loading
 */
export function useLazyModule<T extends object>(fetchPart: () => Promise<T>, isWanted = true): LazyModule<T> {
  const [part, setPart] = useState<T>();
  const [tries, setTries] = useState(0);
  const load = useCallback(() => setTries((before) => before + 1), []);
  useEffect(() => {
    if (!isWanted || part) return;
    fetchPart().then((loaded) => setPart(() => loaded), handleChunkError);
    return onReconnect(load);
  }, [fetchPart, isWanted, part, tries, load]);
  return { part, load };
}
