import { useSyncExternalStore } from 'react';

const subscribeNever = () => () => undefined;
const isTrue = () => true;
const isFalse = () => false;

/** False during prerendering and hydration. */
export const useHydrated = (): boolean => useSyncExternalStore(subscribeNever, isTrue, isFalse);
