import { PAGE_CACHE } from './shell/storage.ts';

/**
 * Opens the app offline, and faster online. Caches the files of the build, whose names change with their content, and
 * opened pages, which contain no member data. API replies are never cached: amounts must be current.
 */
type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void };
type Fetch = Extendable & { request: Request; respondWith: (answer: Promise<Response>) => void };
type Navigation = { request: Request; waitUntil: (work: Promise<unknown>) => void };
type Scope = {
  __WB_MANIFEST: { url: string }[];
  addEventListener: {
    (type: 'install' | 'activate', listener: (event: Extendable) => void): void;
    (type: 'fetch', listener: (event: Fetch) => void): void;
  };
};

const CACHE = 'krapao';
/** Shell page for URLs that aren't prerendered, in the variant of the site. */
const PAGE = '/user/home';
const ASSETS = '/assets/';
/** Paths whose pages are cached. */
const KEPT = /^\/(login|register|howto|contact|user(\/\w+)?)?\/?$/;

const scope = self as unknown as Scope;
/** Injected by the build, which replaces this expression. */
const files = (self as unknown as Scope).__WB_MANIFEST;
/** Files of this build: other cached files belong to an older one. */
const current = new Set(files.map(({ url }) => new URL(url, location.origin).pathname));

/** Files needed to start and to show an error; the browser has most of them cached already. */
const CORE = /\/(index|libraries|shell|rolldown-runtime|states|words-\w+|bare-layout|login-page)-/;

/** Fetches the page again with each build, bypassing the HTTP cache. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([
    cache.add(new Request(PAGE, { cache: 'reload' })),
    ...[...current].filter((path) => CORE.test(path)).map((path) => cache.add(path)),
  ]);
}

/** Pages of an older build refer to its files. */
async function dropOld(): Promise<void> {
  await caches.delete(PAGE_CACHE);
  const cache = await caches.open(CACHE);
  const kept = await cache.keys();
  const old = kept.filter(({ url }) => new URL(url).pathname.startsWith(ASSETS) && !current.has(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** Files of the build are immutable: a cached one is current. */
async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  // The page belongs to a build that the server no longer has.
  else await caches.delete(PAGE_CACHE);
  return answer;
}

/** Fetches a page, and caches it if its path is one of the app's. */
async function freshPage({ request, waitUntil }: Navigation): Promise<Response> {
  const answer = await fetch(request);
  const { pathname } = new URL(request.url);
  if (answer.ok && !answer.redirected && KEPT.test(pathname)) {
    const copy = answer.clone();
    waitUntil(caches.open(PAGE_CACHE).then((pages) => pages.put(pathname, copy)));
  }
  return answer;
}

/**
 * An opened page comes from the cache while the server is asked for the next visit (stale-while-revalidate); a reload
 * asks the server first. A cached page in another language or session state hides itself until the app has rendered the
 * right one (`build/page-scripts.ts`). Offline without a cached page, the home page starts the app, which reports that
 * it is offline.
 */
async function page(navigation: Navigation): Promise<Response> {
  const { request, waitUntil } = navigation;
  const fresh = freshPage(navigation);
  waitUntil(fresh.catch(() => undefined));
  const kept = await caches.match(new URL(request.url).pathname, { cacheName: PAGE_CACHE, ignoreVary: true });
  if (kept && request.cache === 'default') return kept;
  try {
    return await fresh;
  } catch (failure) {
    const other = kept ?? (await caches.match(PAGE, { cacheName: CACHE, ignoreVary: true }));
    if (other) return other;
    throw failure;
  }
}

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(dropOld()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(page({ request, waitUntil: (work) => event.waitUntil(work) }));
  else if (url.pathname.startsWith(ASSETS)) event.respondWith(fromCache(request));
});
