import { useSyncExternalStore } from 'react';

/** Media query for a window that fits two panes side by side. */
const WIDE_QUERY = '(min-width: 48rem)';

const subscribe = (listener: () => void): (() => void) => {
  const query = matchMedia(WIDE_QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether the window fits two panes. Not for prerendered pages, whose window width is unknown. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(WIDE_QUERY).matches);
