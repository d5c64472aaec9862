import { useCallback, useEffect, useState } from 'react';
import { onReconnect } from '../../shell/connection.ts';
import { handleChunkError } from '../../routing/navigation.ts';

/** `part` is undefined until it is there; `load` tries again at once, unless it is. */
export type LazyModule<T> = { part: T | undefined; load: () => void };

/**
 * A part of the page that comes after it. One that didn't come is asked for again when the line is back.
 * @param isWanted begins to load it
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
