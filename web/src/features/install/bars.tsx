import { useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { hasRequestInFlight, onPendingChange } from '../../api/call.ts';
import { useScreen } from '../../routing/router.ts';
import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { useTopModal } from '../../ui/core/overlay-stack.ts';
import { UpdateBar } from './update-bar.tsx';

let hasUpdate = false;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Shows or hides the offer of a new build. */
export function setUpdate(isWaiting: boolean): void {
  hasUpdate = isWaiting;
  mountOnce();
  for (const listener of listeners) listener();
}

let isMounted = false;

/** Renders the bars in a root of their own, so that they shift nothing of the page. */
function mountOnce(): void {
  if (isMounted) return;
  isMounted = true;
  const container = document.createElement('div');
  document.body.append(container);
  createRoot(container, { onCaughtError: () => undefined }).render(
    <SectionBoundary sectionName="install bars">
      <Bars />
    </SectionBoundary>,
  );
}

/** How long nothing may be in flight before a bar appears, in ms. */
const CALM_MS = 600;

/** Whether no request is in flight and no dialog is open, for some time. */
function useCalm(): boolean {
  const isBusy = useSyncExternalStore(onPendingChange, hasRequestInFlight);
  const isModalOpen = useTopModal() !== undefined;
  const isQuiet = !isBusy && !isModalOpen;
  const [isCalm, setCalm] = useState(false);
  useEffect(() => {
    if (!isQuiet) return undefined;
    const timer = setTimeout(() => setCalm(true), CALM_MS);
    return () => {
      clearTimeout(timer);
      setCalm(false);
    };
  }, [isQuiet]);
  return isQuiet && isCalm;
}

function Bars() {
  const isCalm = useCalm();
  const isWaiting = useSyncExternalStore(subscribe, () => hasUpdate);
  useEffect(() => {
    // Room below the page's content. It stays, because removing it would move a page that is scrolled to its end.
    if (isWaiting) document.documentElement.dataset.bar = '';
  }, [isWaiting]);
  const isMemberPage = useScreen()?.route.shell === 'member';
  return isMemberPage && isCalm && isWaiting && <UpdateBar />;
}
