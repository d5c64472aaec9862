import { MEMBER_COOKIE, STORAGE } from '@krapao/contract/constants';
import { writeCookie } from '../shell/storage.ts';

/**
 * The bearer token: in local storage if the member chose to be remembered, else in session storage, which ends with the
 * tab. Nothing else of the session is stored in the browser.
 */
const read = (storage: 'localStorage' | 'sessionStorage'): string | null => {
  try {
    return globalThis[storage]?.getItem(STORAGE.token) ?? null;
  } catch {
    return null;
  }
};

export const storedToken = (): string | null => read('sessionStorage') ?? read('localStorage');

/** Sets the cookie by which the server chooses the next page: a member's page or the login. */
export function syncSessionCookie(): void {
  writeCookie(MEMBER_COOKIE, storedToken() === null ? '' : '1', read('sessionStorage') !== null);
}

/** Whether this browser can store a session; false if the member blocks site data. */
export function canStoreSession(): boolean {
  const probe = `${STORAGE.token}-probe`;
  try {
    for (const storage of [sessionStorage, localStorage]) {
      storage.setItem(probe, '1');
      storage.removeItem(probe);
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a session with a token. `remember`: also after the tab is closed. Throws where {@link canStoreSession} is
 * false.
 */
export function storeSession(token: string, remember: boolean): void {
  clearSession();
  (remember ? localStorage : sessionStorage).setItem(STORAGE.token, token);
  syncSessionCookie();
}

const listeners = new Set<() => void>();

/** Deletes the session in the browser. `POST /api/logout` ends it on the server. */
export function clearSession(): void {
  if (typeof document === 'undefined') return;
  try {
    sessionStorage.removeItem(STORAGE.token);
    localStorage.removeItem(STORAGE.token);
  } catch {
    // Without storage there is no session.
  }
  syncSessionCookie();
  for (const listener of listeners) listener();
}

/**
 * Follows the session shared with other tabs: `onEnd` when another tab has ended it, `onOther` when another tab has
 * started a different one. A frozen tab receives both events when it thaws, so the stored token decides.
 * @returns unsubscribe function
 */
export function onOtherTabSession({ onEnd, onOther }: { onEnd: () => void; onOther: () => void }): () => void {
  const own = storedToken();
  const onStorage = ({ key }: StorageEvent): void => {
    // Without a key, the whole storage was cleared.
    if (key !== null && key !== STORAGE.token) return;
    const now = storedToken();
    if (now === null) onEnd();
    else if (now !== own) onOther();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** Subscribes to the end of the session in this browser, to drop the member's data. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
