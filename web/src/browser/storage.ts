import type { STORAGE } from '@krapao/contract/constants';

export type StorageKey = (typeof STORAGE)[keyof typeof STORAGE];

/**
 * Reads the browser's local storage. Storage can be missing (prerendering) or refuse access (private windows, full
 * disks); then the value is null and nothing is thrown.
 */
export function readLocalStorage(key: StorageKey): string | null {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** Values that local storage refused; the page works with them until it is closed. */
const refusedValues = new Map<StorageKey, string>();

/** The stored value, or the value that local storage refused on this page; null without either. */
export const readStored = (key: StorageKey): string | null => refusedValues.get(key) ?? readLocalStorage(key);

const COOKIE_MAX_AGE_S = 31_536_000;

/** Whether setting the cookie would change its value. */
function changesCookie(name: string, value: string): boolean {
  const cookies = document.cookie.split('; ');
  return value ? !cookies.includes(`${name}=${value}`) : cookies.some((cookie) => cookie.startsWith(`${name}=`));
}

/**
 * Sets a cookie for the server. It lasts a year, or until the browser closes with `isSessionCookie`; an empty value
 * deletes it. A changed cookie deletes the cached pages, which the server may now render differently.
 */
export function writeCookie(name: string, value: string, isSessionCookie = false): void {
  if (typeof document === 'undefined') return;
  if (changesCookie(name, value)) void deleteCachedPages().catch(() => undefined);
  const secureAttribute = location.protocol === 'https:' ? '; Secure' : '';
  const maxAgeAttribute = isSessionCookie ? '' : `; Max-Age=${value ? COOKIE_MAX_AGE_S : 0}`;
  document.cookie = `${name}=${value}; Path=/${maxAgeAttribute}; SameSite=Lax${secureAttribute}`;
}

// An async function, because some browsers throw on access to `caches`.
const deleteCachedPages = async (): Promise<unknown> => globalThis.caches?.delete(PAGE_CACHE);

/** Stores a value in local storage; null deletes it. */
export function writeStored(key: StorageKey, value: string | null): void {
  refusedValues.delete(key);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value !== null) refusedValues.set(key, value);
  }
}

/** Service worker cache of opened pages. Served pages depend on cookies, so a changed cookie deletes the cache. */
export const PAGE_CACHE = 'krapao-pages';

/** Cache by which the app passes the language of push messages to the service worker. */
export const PUSH_CACHE = 'krapao-push';
export const PUSH_LANGUAGE_URL = '/push/language';
