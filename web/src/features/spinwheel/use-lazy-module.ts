import { useCallback, useEffect, useState } from 'react';
import { onReconnect } from '../../shell/connection.ts';
import { handleChunkError } from '../../routing/navigation.ts';

/** `loadedModule` is undefined until loaded; `load` starts or retries loading. */
export type LazyModule<T> = { loadedModule: T | undefined; load: () => void };

/**
 * Loads a module of the page lazily. A failed load is retried after a reconnection.
 * @param isEnabled whether loading may start
 */
export function useLazyModule<T extends object>(importModule: () => Promise<T>, isEnabled = true): LazyModule<T> {
  const [loadedModule, setLoadedModule] = useState<T>();
  const [loadCount, setLoadCount] = useState(0);
  const load = useCallback(() => setLoadCount((count) => count + 1), []);
  useEffect(() => {
    if (!isEnabled || loadedModule) return;
    importModule().then((newModule) => setLoadedModule(() => newModule), handleChunkError);
    return onReconnect(load);
  }, [importModule, isEnabled, loadedModule, loadCount, load]);
  return { loadedModule, load };
}
