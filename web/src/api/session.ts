import { MEMBER_COOKIE, STORAGE } from '@krapao/contract/constants';
import { writeCookie } from '../shell/storage.ts';

/**
 * The bearer token: in local storage when the member asked to be remembered, else in session storage, which ends with
 * the tab. Nothing else of the session is kept in the browser.
 */
const read = (storage: 'localStorage' | 'sessionStorage'): string | null => {
  try {
    return globalThis[storage]?.getItem(STORAGE.token) ?? null;
  } catch {
    return null;
  }
};

export const storedToken = (): string | null => read('sessionStorage') ?? read('localStorage');

/** Tells the server by a cookie which page to send next time: that of a member, or the login. */
export function syncSessionCookie(): void {
  writeCookie(MEMBER_COOKIE, storedToken() === null ? '' : '1', read('sessionStorage') !== null);
}

/** Whether this browser lets the app keep a session; it doesn't where the member blocks the site's data. */
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

/** Begins a session with a token. `remember`: past the end of the visit. Throws where {@link canStoreSession} is false. */
export function storeSession(token: string, remember: boolean): void {
  clearSession();
  (remember ? localStorage : sessionStorage).setItem(STORAGE.token, token);
  syncSessionCookie();
}

const listeners = new Set<() => void>();

/** Forgets the session here. The server's side of it is ended by `POST /api/logout`. */
export function clearSession(): void {
  if (typeof document === 'undefined') return;
  try {
    sessionStorage.removeItem(STORAGE.token);
    localStorage.removeItem(STORAGE.token);
  } catch {
    // No storage, no session.
  }
  syncSessionCookie();
  for (const listener of listeners) listener();
}

/**
 * Follows the session that this tab shares with the others: `onEnd` when another tab has ended it, `onOther` when another
 * tab has begun a session instead. A frozen tab receives the events of both when it thaws, so what is stored then decides.
 * @returns how to stop listening
 */
export function onOtherTabSession({ onEnd, onOther }: { onEnd: () => void; onOther: () => void }): () => void {
  const own = storedToken();
  const onStorage = ({ key }: StorageEvent): void => {
    // Without a key, all of the storage was emptied.
    if (key !== null && key !== STORAGE.token) return;
    const now = storedToken();
    if (now === null) onEnd();
    else if (now !== own) onOther();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** Calls back when a session has ended here: the place to drop what belonged to the member. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
