import { saveInputs } from '../../routing/saved-inputs.ts';

/** Minimum interval in ms between update checks on return to the app. */
const CHECK_INTERVAL_MS = 3_600_000;
/** Reloads after this time in ms even if the new worker doesn't report that it has taken over. */
const TAKE_OVER_WAIT_MS = 5_000;

/**
 * Reports whether a new build waits, initially and on each change. Browsers check for a new build when a page opens;
 * this also checks when the member returns to the app after an hour or more.
 */
export async function watchUpdates(onChange: (isWaiting: boolean) => void): Promise<void> {
  const registration = await navigator.serviceWorker?.ready;
  if (!registration) return;
  let checkedAt = Date.now();
  const report = (): void => onChange(registration.waiting !== null);
  const watchInstalling = (): void => registration.installing?.addEventListener('statechange', report);
  registration.addEventListener('updatefound', watchInstalling);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || Date.now() - checkedAt < CHECK_INTERVAL_MS) return;
    checkedAt = Date.now();
    registration.update().catch(() => undefined);
  });
  watchInstalling();
  report();
}

/** Activates the waiting build and reloads the page once, without losing what is typed. */
export async function applyUpdate(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  const worker = registration?.waiting;
  let isReloading = false;
  const reload = (): void => {
    if (isReloading) return;
    isReloading = true;
    saveInputs();
    location.reload();
  };
  saveInputs();
  if (!worker) return reload();
  navigator.serviceWorker.addEventListener('controllerchange', reload);
  // A page that no worker controls gets no `controllerchange`.
  worker.addEventListener('statechange', () => worker.state === 'activated' && reload());
  setTimeout(reload, TAKE_OVER_WAIT_MS);
  worker.postMessage({ type: 'take-over' });
}
