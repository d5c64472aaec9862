import { createListeners } from './listeners.ts';

/**
 * Detects whether the server is reachable. `navigator.onLine` is only a hint: it is false on some working connections
 * (VPN, web view) and true on some broken ones. If it is false, a small request decides.
 */

/** A small file that every deployment serves without a session. */
const PROBE_PATH = '/icon.svg';
const PROBE_TIMEOUT_MS = 5_000;
/**
 * Interval between probes while the server is unreachable or the browser reports no connection: a connection can return
 * without an `online` event, and a reply may be the last one.
 */
const PROBE_PAUSE_MS = 5_000;

let isReachable = true;
let pendingProbe: Promise<boolean> | undefined;
let probeTimer: ReturnType<typeof setTimeout> | undefined;
const changes = createListeners();
const reconnections = createListeners();

/** False while the browser reports no connection and the server does not reply. */
export const isOnline = (): boolean => isReachable;

/** Subscribes to changes of {@link isOnline}. @returns unsubscribe function */
export const onConnectionChange = changes.subscribe;

/** Subscribes to reconnections, in order to repeat failed requests. @returns unsubscribe function */
export const onReconnect = reconnections.subscribe;

function setReachable(reachable: boolean): void {
  clearTimeout(probeTimer);
  if (!reachable || !navigator.onLine) probeTimer = setTimeout(() => void probe(), PROBE_PAUSE_MS);
  if (reachable === isReachable) return;
  isReachable = reachable;
  changes.notify();
  if (reachable) reconnections.notify();
}

/** Records that the server has replied to a request. */
export function recordReply(): void {
  if (!isReachable) setReachable(true);
}

/** Records a request without a reply. Ignored while the browser reports a connection. */
export function recordNoReply(): void {
  if (!navigator.onLine) setReachable(false);
}

/** Requests the probe file. A reply with any status means that the server is reachable. */
async function sendProbe(): Promise<boolean> {
  const controller = new AbortController();
  const timeoutTimer = setTimeout(() => controller.abort(), PROBE_TIMEOUT_MS);
  try {
    await fetch(PROBE_PATH, { method: 'HEAD', cache: 'no-store', signal: controller.signal });
    return true;
  } catch {
    return navigator.onLine;
  } finally {
    clearTimeout(timeoutTimer);
  }
}

/**
 * Checks whether the server is reachable and records the result. Concurrent calls share one request.
 * @returns true without a request if the browser reports a connection
 */
export async function probe(): Promise<boolean> {
  if (navigator.onLine) {
    setReachable(true);
    return true;
  }
  pendingProbe ??= sendProbe().finally(() => {
    pendingProbe = undefined;
  });
  const reachable = await pendingProbe;
  setReachable(reachable);
  return reachable;
}

// Prerendering has neither a document nor a connection.
if (typeof document !== 'undefined') {
  addEventListener('offline', () => void probe());
  addEventListener('online', () => {
    // Also notifies if the app was never offline: a new network interface breaks open sockets.
    if (isReachable) reconnections.notify();
    else setReachable(true);
  });
  if (!navigator.onLine) void probe();
}
