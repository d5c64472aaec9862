import { useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { hasRequestInFlight, onPendingChange } from '../../api/call.ts';
import { createListeners } from '../../browser/listeners.ts';
import { isStripShown, onStripChange } from '../../member/strip-shown.ts';
import { useScreen } from '../../routing/router.ts';
import { SectionBoundary } from '../../shell/error-boundary.tsx';
import { useTopModal } from '../../ui/core/overlay-stack.ts';
import { InstallCard } from './install-card.tsx';
import { isInstallOffered, onInstallChange } from './install-state.ts';
import { UpdateBar } from './update-bar.tsx';

let hasUpdate = false;
/** How long a closed offer of an update rests, in ms. */
const UPDATE_REST_MS = 3_600_000;
let isResting = false;
const changes = createListeners();

/** Shows or hides the offer of a new build. */
export function setUpdate(isWaiting: boolean): void {
  hasUpdate = isWaiting;
  mountOnce();
  changes.notify();
}

/** Hides the offer for an hour, or until the app is opened again. */
function closeUpdate(): void {
  isResting = true;
  changes.notify();
  setTimeout(() => {
    isResting = false;
    changes.notify();
  }, UPDATE_REST_MS);
}

let isMounted = false;

/** Renders the bars in a root of their own, so that they shift nothing of the page. */
export function mountOnce(): void {
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
  const isWaiting = useSyncExternalStore(changes.subscribe, () => hasUpdate && !isResting);
  const isOffered = useSyncExternalStore(onInstallChange, isInstallOffered);
  // Money is waited for while the strip of open items is shown.
  const hasOpenMoney = useSyncExternalStore(onStripChange, isStripShown);
  const screen = useScreen();
  const hasCard = isOffered && !isWaiting && screen?.path === '/user/home';
  if (hasCard) return <InstallCard isShown={isCalm && !hasOpenMoney} />;
  return screen?.route.shell === 'member' && isCalm && isWaiting && <UpdateBar onClose={closeUpdate} />;
}
