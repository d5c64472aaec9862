import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => undefined;
const isTrue = () => true;
const isFalse = () => false;

/** Whether the app has hydrated; false during prerendering and hydration. */
export const useHydrated = (): boolean => useSyncExternalStore(subscribeToNothing, isTrue, isFalse);
