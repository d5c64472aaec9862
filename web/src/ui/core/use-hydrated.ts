import { useSyncExternalStore } from 'react';

const subscribeNever = () => () => undefined;
const isTrue = () => true;
const isFalse = () => false;

/** Whether scripts run here yet: not where a page is prerendered, nor while that one comes to life. */
export const useHydrated = (): boolean => useSyncExternalStore(subscribeNever, isTrue, isFalse);
