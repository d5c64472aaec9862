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
/** Address of the entry that we stand on, when it is one of ours. */
let markedAt: string | undefined;
let soon: ReturnType<typeof setTimeout> | undefined;

function note(): void {
  markedAt = history.state?.[MARK] === true ? location.href : undefined;
}

/** Not before the turn is over, for one dialog often follows another. */
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
  // The router announces each history entry that it adds.
  for (const event of ['pushState', 'replaceState']) addEventListener(event, note);
}

/**
 * While mounted, Back does this instead of leaving the page; of several, the last one.
 * @param goBack undefined when there is nothing to go back from here
 */
export function useBack(goBack: (() => void) | undefined): void {
  const run = useEffectEvent(() => goBack?.());
  const isWanted = goBack !== undefined;
  // With the picture, not after it: Back must never mean the step that has just gone.
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
