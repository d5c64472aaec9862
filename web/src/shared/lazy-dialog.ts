import { useEffect, useRef, useState } from 'react';
import { beginPending } from '../api/call.ts';
import { handleChunkError } from '../routing/navigation.ts';

/**
 * A dialog whose code loads when it is opened. Not `React.lazy`: a Suspense fallback delays the first paint by 300 ms.
 * @returns `opened`: what it was opened with and what was loaded for it; undefined while it is closed
 */
export function useLazyDialog<Loaded, Input = void>(load: (input: Input) => Promise<Loaded>) {
  const [opened, setOpened] = useState<{ input: Input; loaded: Loaded }>();
  const last = useRef(0);
  const loadAndOpen = async (input: Input): Promise<void> => {
    last.current += 1;
    const current = last.current;
    const end = beginPending();
    try {
      const loaded = await load(input);
      // Otherwise another dialog was requested while this one loaded.
      if (current === last.current) setOpened({ input, loaded });
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      end();
    }
  };
  return {
    opened,
    open: (input: Input) => void loadAndOpen(input),
    close: () => setOpened(undefined),
  };
}

/** Loads code once the page has been idle for a while. A failure is shown when the code is used. */
export function usePreload(load: () => Promise<unknown>, afterMs: number): void {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), afterMs);
    return () => clearTimeout(timer);
  }, [load, afterMs]);
}
