import { PAGE_CACHE } from './browser/storage.ts';
import { readCopy, storeCopy, tryStorage } from './worker/cache.ts';
import { listenForPush, type PushScope } from './worker/push-events.ts';

/**
 * Service worker: opens the app offline, and faster online, and shows push messages. It caches build files, whose
 * names change with their content, and opened pages, which contain no member data. It never caches API replies, because
 * amounts must be current. Without storage it works as the network does.
 */
type ExtendableEvent = Event & { waitUntil: (promise: Promise<unknown>) => void };
type FetchEvent = ExtendableEvent & { request: Request; respondWith: (response: Promise<Response>) => void };
type Fetch = { request: Request; waitUntil: (promise: Promise<unknown>) => void };
type WorkerScope = {
  __WB_MANIFEST: { url: string }[];
  skipWaiting: () => Promise<void>;
  addEventListener: {
    (type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
    (type: 'fetch', listener: (event: FetchEvent) => void): void;
    (type: 'message', listener: (event: ExtendableEvent & { data: unknown }) => void): void;
  };
};

const CACHE_NAME = 'krapao';
/** Page served for URLs that aren't prerendered. The server sends it in the site's variant. */
const SHELL_PAGE_PATH = '/user/home';
const ASSETS_PREFIX = '/assets/';
/** Paths whose pages are cached. */
const CACHED_PAGE_PATHS = /^\/(login|register|howto|contact|user(\/\w+)?)?\/?$/;

const workerScope = self as unknown as WorkerScope;
/** The build replaces `__WB_MANIFEST` by the list of build files. */
const buildFiles = (self as unknown as WorkerScope).__WB_MANIFEST;
/** Paths of this build's files. Any other cached file belongs to an older build. */
const currentPaths = new Set(buildFiles.map(({ url }) => new URL(url, location.origin).pathname));

/** Files needed to start the app and to show an error. Most are already in the HTTP cache. */
const CORE_FILES = /\/(index|libraries|shell|rolldown-runtime|states|words-\w+|bare-layout|login-page)-/;

/** Downloads a file and caches it if there is room. @throws if the server doesn't send all of it */
async function download(request: Request): Promise<void> {
  const response = await fetch(request);
  if (!response.ok) throw new Error(`${request.url} is missing`);
  const copy = response.clone();
  await response.arrayBuffer();
  await tryStorage(() => storeCopy(CACHE_NAME, request, copy));
}

/** Caches the shell page and the core files. The page bypasses the HTTP cache, so that each build gets the new page. */
async function install(): Promise<void> {
  const corePaths = [...currentPaths].filter((path) => CORE_FILES.test(path));
  await Promise.all([
    download(new Request(SHELL_PAGE_PATH, { cache: 'reload' })),
    ...corePaths.map((path) => download(new Request(path))),
  ]);
}

/** Deletes all cached pages and the files of older builds: old pages refer to old files. */
async function deleteOldFiles(): Promise<void> {
  await caches.delete(PAGE_CACHE);
  const cache = await caches.open(CACHE_NAME);
  const cachedRequests = await cache.keys();
  const oldRequests = cachedRequests.filter(
    ({ url }) => new URL(url).pathname.startsWith(ASSETS_PREFIX) && !currentPaths.has(new URL(url).pathname),
  );
  await Promise.all(oldRequests.map((request) => cache.delete(request)));
}

/**
 * Returns a build file from the cache, else from the server. Build files are immutable, so a cached file is always
 * current.
 */
async function cachedOrFetched({ request, waitUntil }: Fetch): Promise<Response> {
  const cached = await readCopy(CACHE_NAME, request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) waitUntil(storeCopy(CACHE_NAME, request, response.clone()));
  // The cached page requested a file of an older build: deletes all cached pages.
  else await tryStorage(() => caches.delete(PAGE_CACHE));
  return response;
}

/** Fetches a page and caches it if its path is a page of the app. */
async function fetchPage({ request, waitUntil }: Fetch): Promise<Response> {
  const response = await fetch(request);
  const { pathname } = new URL(request.url);
  if (response.ok && !response.redirected && CACHED_PAGE_PATHS.test(pathname))
    waitUntil(storeCopy(PAGE_CACHE, pathname, response.clone()));
  return response;
}

/**
 * Serves an opened page from the cache and refreshes the cache for the next visit (stale-while-revalidate). A reload
 * requests the server first. A cached page in another language or session state hides itself until the app has rendered
 * the right one (`build/page-scripts.ts`). Offline without a cached page, the cached home page starts the app, which
 * reports that it is offline.
 */
async function respondToNavigation(navigation: Fetch): Promise<Response> {
  const { request, waitUntil } = navigation;
  const fetched = fetchPage(navigation);
  waitUntil(fetched.catch(() => undefined));
  const cachedPage = await readCopy(PAGE_CACHE, new URL(request.url).pathname);
  if (cachedPage && request.cache === 'default') return cachedPage;
  try {
    return await fetched;
  } catch (failure) {
    const fallbackPage = cachedPage ?? (await readCopy(CACHE_NAME, SHELL_PAGE_PATH));
    if (fallbackPage) return fallbackPage;
    throw failure;
  }
}

workerScope.addEventListener('install', (event) => event.waitUntil(install()));
workerScope.addEventListener('activate', (event) => event.waitUntil(tryStorage(deleteOldFiles)));
// A new worker waits until the member accepts the update, because open pages need the files of their own build.
workerScope.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === 'take-over') event.waitUntil(workerScope.skipWaiting());
});
listenForPush(self as unknown as PushScope);
workerScope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const fetchEvent = { request, waitUntil: (promise: Promise<unknown>) => event.waitUntil(promise) };
  if (request.mode === 'navigate') event.respondWith(respondToNavigation(fetchEvent));
  else if (url.pathname.startsWith(ASSETS_PREFIX)) event.respondWith(cachedOrFetched(fetchEvent));
});
