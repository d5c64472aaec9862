import { useEffectEvent, useLayoutEffect, useEffect, useSyncExternalStore } from 'react';
import { createListeners } from '../../browser/listeners.ts';

/**
 * Back closes the topmost dialog or returns to the previous step before it leaves the page. While a back handler is
 * registered, the history has one additional marker entry with the same URL, which Back removes. The marker entry stays
 * when no handler is left, because `history.back()` could abort a navigation that has just started. The next dialog
 * reuses the entry; a Back that removes the entry without a handler goes back a second time.
 */
const MARKER_STATE_KEY = 'within';

type BackHandler = () => void;
let backHandlers: readonly BackHandler[] = [];
/** Page of the current history entry, if it is a marker entry. Without the query, which a filter may replace. */
let markerPage: string | undefined;
let markerTimer: ReturnType<typeof setTimeout> | undefined;

const currentPage = (): string => location.pathname + location.hash;

function readMarker(): void {
  markerPage = history.state?.[MARKER_STATE_KEY] === true ? currentPage() : undefined;
}

/** Adds the marker entry after the current task, because one dialog often follows another. */
function scheduleMarker(): void {
  clearTimeout(markerTimer);
  markerTimer = setTimeout(() => {
    if (backHandlers.length === 0 || markerPage !== undefined) return;
    history.pushState({ ...history.state, [MARKER_STATE_KEY]: true }, '');
    readMarker();
  }, 0);
}

function onPopState(): void {
  const previousPage = markerPage;
  readMarker();
  const isBack = previousPage === currentPage() && markerPage === undefined;
  if (!isBack) return;
  const goBack = backHandlers.at(-1);
  if (!goBack) return history.back();
  goBack();
  scheduleMarker();
}

if (typeof window !== 'undefined') {
  readMarker();
  addEventListener('popstate', onPopState);
  // The router dispatches these events for each new or replaced history entry.
  for (const event of ['pushState', 'replaceState']) addEventListener(event, readMarker);
}

/**
 * While mounted, Back calls `goBack` instead of leaving the page; the last mounted handler applies.
 * @param goBack undefined if there is nothing to close
 */
export function useBack(goBack: (() => void) | undefined): void {
  const runGoBack = useEffectEvent(() => goBack?.());
  const hasHandler = goBack !== undefined;
  // Layout effect, so that Back never calls the handler of a removed step.
  useLayoutEffect(() => {
    if (!hasHandler) return;
    const handler = (): void => runGoBack();
    backHandlers = [...backHandlers, handler];
    scheduleMarker();
    return () => {
      backHandlers = backHandlers.filter((backHandler) => backHandler !== handler);
    };
  }, [hasHandler]);
}

/** Ids of the open modals, the topmost last. Toasts are rendered inside the topmost. */
let openModalIds: readonly string[] = [];
const changes = createListeners();

function setOpenModals(ids: readonly string[]): void {
  openModalIds = ids;
  changes.notify();
}

/** Registers a modal as open while mounted. */
export function useInModalStack(id: string): void {
  useEffect(() => {
    setOpenModals([...openModalIds, id]);
    return () => setOpenModals(openModalIds.filter((modalId) => modalId !== id));
  }, [id]);
}

export const isModalOpen = (): boolean => openModalIds.length > 0;

/** Id of the topmost open modal; undefined if none is open. */
export const useTopModal = (): string | undefined =>
  useSyncExternalStore(
    changes.subscribe,
    () => openModalIds.at(-1),
    () => undefined,
  );
