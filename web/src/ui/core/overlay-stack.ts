import { useEffectEvent, useLayoutEffect, useEffect, useSyncExternalStore } from 'react';

/**
 * What the phone's Back does before it leaves the page: closes the dialog on top, goes to the step before. As long as there
 * is anything to go back from, the history has one more entry for the same address, and Back only takes that one away.
 * Once nothing is open the entry stays, for going back here could break off a navigation that has just begun: the next
 * dialog uses it again, and a Back that takes it away goes one entry further.
 */
const MARK = 'within';

type Way = () => void;
let ways: readonly Way[] = [];
/** URL of the current history entry, if it is a marker entry. */
let markedAt: string | undefined;
let soon: ReturnType<typeof setTimeout> | undefined;

function note(): void {
  markedAt = history.state?.[MARK] === true ? location.href : undefined;
}

/** After the current task, because one dialog often follows another. */
function markSoon(): void {
  clearTimeout(soon);
  soon = setTimeout(() => {
    if (ways.length === 0 || markedAt !== undefined) return;
    history.pushState({ ...history.state, [MARK]: true }, '');
    note();
  }, 0);
}

function onPopState(): void {
  const left = markedAt;
  note();
  const isBack = left === location.href && markedAt === undefined;
  if (!isBack) return;
  const goBack = ways.at(-1);
  if (!goBack) return history.back();
  goBack();
  markSoon();
}

if (typeof window !== 'undefined') {
  note();
  addEventListener('popstate', onPopState);
  // The router dispatches an event for each new history entry.
  for (const event of ['pushState', 'replaceState']) addEventListener(event, note);
}

/**
 * While mounted, Back calls this instead of leaving the page; the last mounted wins.
 * @param goBack undefined when there is nothing to close
 */
export function useBack(goBack: (() => void) | undefined): void {
  const run = useEffectEvent(() => goBack?.());
  const isWanted = goBack !== undefined;
  // Before paint: Back must never close a step that is already gone.
  useLayoutEffect(() => {
    if (!isWanted) return;
    const way = (): void => run();
    ways = [...ways, way];
    markSoon();
    return () => {
      ways = ways.filter((other) => other !== way);
    };
  }, [isWanted]);
}

/** Open modals, the topmost last. Toasts are rendered inside the last one. */
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

/** Registers a modal while it is mounted. */
export function useInModalStack(id: string): void {
  useEffect(() => {
    change([...open, id]);
    return () => change(open.filter((other) => other !== id));
  }, [id]);
}

/** Id of the topmost open modal; undefined without one. */
export const useTopModal = (): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => open.at(-1),
    () => undefined,
  );
