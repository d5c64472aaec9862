import { PAGE_CACHE } from './shell/storage.ts';

/**
 * Lets the app open without a line, and opens it faster with one. It keeps the files of the build, whose names change
 * with their content, and the pages that were opened, which hold nothing of a member. What the API says is never kept: amounts
 * are only true when they are fresh.
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
/** Any address that isn't prerendered is answered with the empty page, in the variant of the house. */
const PAGE = '/user/home';
const ASSETS = '/assets/';
/** Addresses whose pages are kept. */
const KEPT = /^\/(login|register|howto|contact|user(\/\w+)?)?\/?$/;

const scope = self as unknown as Scope;
/** Put in by the build, which looks for these very words. */
const files = (self as unknown as Scope).__WB_MANIFEST;
/** The files of this build: kept ones that it doesn't name are of an older one. */
const current = new Set(files.map(({ url }) => new URL(url, location.origin).pathname));

/** What it takes to begin and to say what is wrong; the browser has most of it already when this asks. */
const CORE = /\/(index|libraries|shell|rolldown-runtime|states|words-\w+|bare-layout|login-page)-/;

/** The page is fetched again with each build, past the browser's own cache. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([
    cache.add(new Request(PAGE, { cache: 'reload' })),
    ...[...current].filter((path) => CORE.test(path)).map((path) => cache.add(path)),
  ]);
}

/** Pages of an older build name its files. */
async function dropOld(): Promise<void> {
  await caches.delete(PAGE_CACHE);
  const cache = await caches.open(CACHE);
  const kept = await cache.keys();
  const old = kept.filter(({ url }) => new URL(url).pathname.startsWith(ASSETS) && !current.has(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** Files of the build never change: what is kept is right. */
async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  // The page that names it is of a build that the server no longer has.
  else await caches.delete(PAGE_CACHE);
  return answer;
}

/** Asks the server for a page, and keeps it if it is one of the app's own addresses. */
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
 * A page that was opened before comes from the cache while the server is asked for the next time; a reload asks the server first.
 * A kept page that is not this browser's (language, session) hides itself until the app has rendered the right one
 * (`build/page-scripts.ts`). Without a connection and a kept page, that of home starts the app, which says that it is offline.
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
