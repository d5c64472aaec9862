import { useCallback, useEffect, useState } from 'react';
import { onReconnect } from '../../connection.ts';
import { failedToLoad } from '../../routing/failed-to-load.ts';

/** `part` is undefined until it is there; `load` tries again at once, unless it is. */
export type Part<T> = { part: T | undefined; load: () => void };

/**
 * A part of the page that comes after it. One that didn't come is asked for again when the line is back.
 * @param isWanted begins to load it
 */
export function usePart<T extends object>(fetchPart: () => Promise<T>, isWanted = true): Part<T> {
  const [part, setPart] = useState<T>();
  const [tries, setTries] = useState(0);
  const load = useCallback(() => setTries((before) => before + 1), []);
  useEffect(() => {
    if (!isWanted || part) return;
    fetchPart().then((loaded) => setPart(() => loaded), failedToLoad);
    return onReconnect(load);
  }, [fetchPart, isWanted, part, tries, load]);
  return { part, load };
}
