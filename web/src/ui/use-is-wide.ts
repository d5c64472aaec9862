import { useSyncExternalStore } from 'react';

/** Width for two panes side by side. */
const WIDE = '(min-width: 48rem)';

const subscribe = (listener: () => void): (() => void) => {
  const query = matchMedia(WIDE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether two panes fit. Not for prerendered pages: the width is unknown there. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches);
