import { useEffect, useSyncExternalStore } from 'react';

/** The open modals, the topmost last. What must be seen over everything (toasts) goes into the last one. */
let open: readonly string[] = [];
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  open = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Counts a modal as open while it is mounted. */
export function useInModalStack(id: string): void {
  useEffect(() => {
    change([...open, id]);
    return () => change(open.filter((other) => other !== id));
  }, [id]);
}

/** Id of the topmost open modal; undefined when none is. */
export const useTopModal = (): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => open.at(-1),
    () => undefined,
  );
