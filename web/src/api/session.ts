import { MEMBER_COOKIE, STORAGE } from '@krapao/contract/constants';
import { createListeners } from '../browser/listeners.ts';
import { readStored, writeCookie, writeStored } from '../browser/storage.ts';

/**
 * Stores the session token: in local storage if the member chose to be remembered, else in session storage, which ends
 * with the tab. The last known balance, statement page and amounts of games are kept beside it.
 */
const readToken = (storage: 'localStorage' | 'sessionStorage'): string | null => {
  try {
    return globalThis[storage]?.getItem(STORAGE.token) ?? null;
  } catch {
    return null;
  }
};

export const storedToken = (): string | null => readToken('sessionStorage') ?? readToken('localStorage');

/** Storage that has the token of the current session; undefined without a session. */
const sessionStore = (): Storage | undefined =>
  readToken('sessionStorage') !== null ? sessionStorage : readToken('localStorage') !== null ? localStorage : undefined;

/** Distinguishes sessions without revealing the token. */
export const sessionMark = (): string => markOf(storedToken() ?? '');
const markOf = (token: string): string => token.slice(-8);

/** Local storage key of the games that this session opened in any tab. */
export const launchesKey = (): string => STORAGE.launches + sessionMark();

/** A value that the current session stored under this key; undefined without one. Its type is unchecked. */
export function readSessionValue(key: string): unknown {
  try {
    const { session, value } = JSON.parse(sessionStore()?.getItem(key) ?? '') as { session: unknown; value: unknown };
    return session === sessionMark() ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value until the session ends. Does nothing if the storage is full. */
export function writeSessionValue(key: string, value: unknown): void {
  try {
    sessionStore()?.setItem(key, JSON.stringify({ session: sessionMark(), value }));
  } catch {
    // The app works without these values.
  }
}

const readPhone = (): string => {
  const phone = readSessionValue(STORAGE.phone);
  return typeof phone === 'string' ? phone : '';
};

/** Kept for the tab, because another tab may have deleted the session with its phone. */
let lastPhone = readPhone();

/** Phone of the tab's last session, also after its end; '' if it is unknown. */
export const lastSessionPhone = (): string => lastPhone;

/** Phone of the stored session, which another tab may have started; '' if it is unknown. */
export const storedPhone = readPhone;

/** Sets the cookie by which the server selects the next page: the member's page or the login. */
export function syncSessionCookie(): void {
  writeCookie(MEMBER_COOKIE, storedToken() === null ? '' : '1', readToken('sessionStorage') !== null);
}

/** Whether this browser can store a session; false if the member has blocked site data. */
export function canStoreSession(): boolean {
  const probeKey = `${STORAGE.token}-probe`;
  try {
    sessionStorage.setItem(probeKey, '1');
    sessionStorage.removeItem(probeKey);
    return true;
  } catch {
    return false;
  }
}

function storeIn(storage: Storage, token: string, phone: string): void {
  // Before the token: other tabs read it when the token arrives.
  storage.setItem(STORAGE.phone, JSON.stringify({ session: markOf(token), value: phone }));
  storage.setItem(STORAGE.token, token);
}

/**
 * Stores the session of the member with this phone. With `remember` it outlives the tab, unless local storage is full.
 * Throws if {@link canStoreSession} is false.
 */
export function storeSession(token: string, remember: boolean, phone: string): void {
  clearSession();
  try {
    storeIn(remember ? localStorage : sessionStorage, token, phone);
  } catch {
    storeIn(sessionStorage, token, phone);
  }
  lastPhone = phone;
  syncSessionCookie();
}

const sessionEnds = createListeners();

/** Ends push messages to this browser and closes the shown ones. The server ends them with the session. */
async function endPushMessages(): Promise<void> {
  if (readStored(STORAGE.push) === null) return;
  writeStored(STORAGE.push, null);
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
  for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
}

/** Keys that end with the session. */
const SESSION_KEYS = [
  STORAGE.token,
  STORAGE.phone,
  STORAGE.lastBalance,
  STORAGE.lastStatement,
  STORAGE.depositFacts,
  STORAGE.collapsedItems,
  STORAGE.openItems,
] as const;

/** Deletes the session in the browser only; `POST /api/logout` ends it on the server. */
export function clearSession(): void {
  if (typeof document === 'undefined') return;
  // A session that ended with its tab keeps its messages: the member has not logged out.
  if (storedToken() !== null) void endPushMessages().catch(() => undefined);
  for (const name of ['sessionStorage', 'localStorage'] as const) {
    try {
      const storage = globalThis[name];
      // A session that ended with its tab leaves its launches in local storage.
      const launches = Object.keys(storage).filter((key) => key.startsWith(STORAGE.launches));
      for (const key of [...SESSION_KEYS, ...launches]) storage.removeItem(key);
    } catch {
      // What this browser doesn't store needs no deletion.
    }
  }
  syncSessionCookie();
  sessionEnds.notify();
}

/**
 * Detects session changes made by other tabs: `onEnd` after the session was ended, `onOtherSession` after a different
 * one was started. A frozen tab receives both events when it resumes, so the stored token decides.
 * @returns unsubscribe function
 */
export function onOtherTabSession({
  onEnd,
  onOtherSession,
}: {
  onEnd: () => void;
  onOtherSession: () => void;
}): () => void {
  const ownToken = storedToken();
  const onStorage = ({ key }: StorageEvent): void => {
    // The event has no key if the whole storage was cleared.
    if (key !== null && key !== STORAGE.token) return;
    const currentToken = storedToken();
    if (currentToken === null) onEnd();
    else if (currentToken !== ownToken) onOtherSession();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** Subscribes to the end of the session in this browser; used to drop the member's data. */
export const onSessionEnd = sessionEnds.subscribe;
