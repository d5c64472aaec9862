/**
 * Access to the caches that never fails: storage can be full, broken or silent, and no response of the service worker
 * may depend on it.
 */

const READ_TIMEOUT_MS = 2_000;
const CHANGE_TIMEOUT_MS = 5_000;
/** Includes the download of the file. */
const STORE_TIMEOUT_MS = 60_000;

/** The outcome of an operation on the storage; undefined if it fails or does not end in time. */
export async function tryStorage<T>(
  operation: () => Promise<T>,
  timeoutMs = CHANGE_TIMEOUT_MS,
): Promise<T | undefined> {
  const timeout = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), timeoutMs));
  // An async function, because some browsers throw on access to `caches`.
  const outcome = (async () => operation())().catch(() => undefined);
  return Promise.race([outcome, timeout]);
}

/** Whether a read has not ended in time: later reads don't wait for it. */
let isSilent = false;

/** The cached copy of a file or page; undefined without one. */
export async function readCopy(cacheName: string, request: Request | string): Promise<Response | undefined> {
  if (isSilent) return undefined;
  const timer = setTimeout(() => (isSilent = true), READ_TIMEOUT_MS);
  const read = async (): Promise<Response | undefined> => {
    try {
      return await caches.match(request, { cacheName, ignoreVary: true });
    } finally {
      clearTimeout(timer);
      isSilent = false;
    }
  };
  return tryStorage(read, READ_TIMEOUT_MS);
}

/** Stores a copy. If there is no room for it, the previous copy is deleted too: it belongs to an older build. */
export const storeCopy = (cacheName: string, request: Request | string, response: Response): Promise<unknown> =>
  tryStorage(async () => {
    const cache = await caches.open(cacheName);
    await cache.put(request, response).catch(() => cache.delete(request));
  }, STORE_TIMEOUT_MS);
