import type { STORAGE } from '@krapao/contract/constants';

export type StorageKey = (typeof STORAGE)[keyof typeof STORAGE];

/**
 * The browser's storage, which may be missing (prerendering) or refuse (private windows, full disks): then nothing is
 * remembered, and nothing breaks.
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
 * Sets a cookie of this site for the server to read: for a year, for the visit, or, with an empty value, no longer. Where that
 * changes it, the pages that the service worker keeps are no longer those that the server would send.
 */
export function writeCookie(name: string, value: string, isForVisit = false): void {
  if (typeof document === 'undefined') return;
  if (isNews(name, value)) void globalThis.caches?.delete(PAGE_CACHE).catch(() => undefined);
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const age = isForVisit ? '' : `; Max-Age=${value ? YEAR_S : 0}`;
  document.cookie = `${name}=${value}; Path=/${age}; SameSite=Lax${secure}`;
}

/** Keeps a value past the end of the visit; null forgets it. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Refused: the app works on without it.
  }
}

/**
 * Name of the cache in which the service worker keeps the pages that this browser has opened. Which page answers an address
 * depends on cookies, so a changed cookie drops them all.
 */
export const PAGE_CACHE = 'krapao-pages';
