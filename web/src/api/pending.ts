/** How many calls a person is waiting for; the loader shows it. */
let pending = 0;
const listeners = new Set<() => void>();

const change = (by: number): void => {
  pending += by;
  for (const listener of listeners) listener();
};

/** Counts a call until the returned function is called. */
export function beginPending(): () => void {
  change(1);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    change(-1);
  };
}

export const pendingCalls = (): number => pending;

export function onPendingChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
