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

/** Keeps a value past the end of the visit; null forgets it. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Refused: the app works on without it.
  }
}
