import type { STORAGE } from '@krapao/contract/constants';

export type StorageKey = (typeof STORAGE)[keyof typeof STORAGE];

/**
 * Browser storage, which may be missing (prerendering) or refuse (private windows, full disks): then nothing is stored
 * and no error is thrown.
 */
export function readStored(key: StorageKey): string | null {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

const YEAR_S = 31_536_000;

/** Whether setting a cookie changes it. */
function isNews(name: string, value: string): boolean {
  const cookies = document.cookie.split('; ');
  return value ? !cookies.includes(`${name}=${value}`) : cookies.some((cookie) => cookie.startsWith(`${name}=`));
}

/**
 * Sets a cookie for the server: for a year, for the session, or deletes it if empty. A change drops the cached pages,
 * which may differ from what the server would now send.
 */
export function writeCookie(name: string, value: string, isForVisit = false): void {
  if (typeof document === 'undefined') return;
  if (isNews(name, value)) void globalThis.caches?.delete(PAGE_CACHE).catch(() => undefined);
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const age = isForVisit ? '' : `; Max-Age=${value ? YEAR_S : 0}`;
  document.cookie = `${name}=${value}; Path=/${age}; SameSite=Lax${secure}`;
}

/** Stores a value permanently; null deletes it. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Refused: the app works without it.
  }
}

/** Cache of opened pages in the service worker. The served page depends on cookies, so a changed cookie drops all. */
export const PAGE_CACHE = 'krapao-pages';
