/**
 * Whether the server can be reached. `navigator.onLine` is only a hint: it is false on some working connections (a VPN, a web view)
 * and true on some broken ones. Where it is false, a small request decides.
 */

/** A file that every deployment serves without a session. */
const PROBE_PATH = '/icon.svg';
const PROBE_TIMEOUT_MS = 5_000;
/** Pause between two probes while the server can't be reached; a connection may come back without an `online` event. */
const PROBE_PAUSE_MS = 5_000;

let isReachable = true;
let probing: Promise<boolean> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const changeListeners = new Set<() => void>();
const reconnectListeners = new Set<() => void>();

/** False while the browser reports no connection and the server does not reply. */
export const isOnline = (): boolean => isReachable;

/** Subscribes to changes of {@link isOnline}. @returns unsubscribe function */
export const onConnectionChange = (listener: () => void): (() => void) => subscribe(changeListeners, listener);

/** Subscribes to reconnects, to repeat failed requests. @returns unsubscribe function */
export const onReconnect = (listener: () => void): (() => void) => subscribe(reconnectListeners, listener);

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setReachable(reachable: boolean): void {
  clearTimeout(timer);
  if (!reachable) timer = setTimeout(() => void probe(), PROBE_PAUSE_MS);
  if (reachable === isReachable) return;
  isReachable = reachable;
  for (const listener of changeListeners) listener();
  if (reachable) notifyReconnect();
}

function notifyReconnect(): void {
  for (const listener of reconnectListeners) listener();
}

/** Records a reply of the server. */
export function recordReply(): void {
  if (!isReachable) setReachable(true);
}

/** Records a request without a reply; ignored while the browser reports a connection. */
export function recordNoReply(): void {
  if (!navigator.onLine) setReachable(false);
}

/** Any reply counts, whatever its status. */
async function sendProbe(): Promise<boolean> {
  const timeout = new AbortController();
  const late = setTimeout(() => timeout.abort(), PROBE_TIMEOUT_MS);
  try {
    await fetch(PROBE_PATH, { method: 'HEAD', cache: 'no-store', signal: timeout.signal });
    return true;
  } catch {
    return navigator.onLine;
  } finally {
    clearTimeout(late);
  }
}

/**
 * Checks whether the server is reachable and records the result. Concurrent calls share one request.
 * @returns true without a request while the browser reports a connection
 */
export async function probe(): Promise<boolean> {
  if (navigator.onLine) {
    setReachable(true);
    return true;
  }
  probing ??= sendProbe().finally(() => {
    probing = undefined;
  });
  const reachable = await probing;
  setReachable(reachable);
  return reachable;
}

// Prerendering has no connection.
if (typeof document !== 'undefined') {
  addEventListener('offline', () => void probe());
  addEventListener('online', () => {
    // Notifies also if the flag was wrong: a new network interface invalidates open sockets.
    if (isReachable) notifyReconnect();
    else setReachable(true);
  });
  if (!navigator.onLine) void probe();
}
