import { useSyncExternalStore } from 'react';

/** The keyboard takes at least this share of the window. */
const KEYBOARD_SHARE = 0.2;

function subscribeViewport(listener: () => void): () => void {
  visualViewport?.addEventListener('resize', listener);
  return () => visualViewport?.removeEventListener('resize', listener);
}

export const isKeyboardUp = (): boolean => {
  const { visualViewport: view } = globalThis;
  return view !== null && view.scale <= 1 && view.height < innerHeight * (1 - KEYBOARD_SHARE);
};

/** Whether the on-screen keyboard covers the bottom of the page. */
export const useKeyboardUp = (): boolean => useSyncExternalStore(subscribeViewport, isKeyboardUp);
