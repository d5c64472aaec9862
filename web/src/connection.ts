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

/** False while the browser reports no connection and the server did not answer either. */
export const isOnline = (): boolean => isReachable;

/** Calls back whenever {@link isOnline} changes. @returns unsubscribes */
export const onConnectionChange = (listener: () => void): (() => void) => subscribe(changeListeners, listener);

/** Calls back when the connection is back, to repeat what failed without it. @returns unsubscribes */
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

/** Records that the server has answered. */
export function recordReply(): void {
  if (!isReachable) setReachable(true);
}

/** Records that a request got no answer; only counts where the browser reports no connection. */
export function recordNoReply(): void {
  if (!navigator.onLine) setReachable(false);
}

/** Any answer of the server counts, whatever its status. */
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
 * Finds out whether the server can be reached, and records it. Concurrent calls share one request.
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

// Prerendering has no connection to watch.
if (typeof document !== 'undefined') {
  addEventListener('offline', () => void probe());
  addEventListener('online', () => {
    // Also where the flag alone was wrong: an interface has come up, and sockets of the former one are dead.
    if (isReachable) notifyReconnect();
    else setReachable(true);
  });
  if (!navigator.onLine) void probe();
}
