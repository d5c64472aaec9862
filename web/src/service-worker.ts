/**
 * Lets the app open without a line, and opens it faster with one. It keeps the files of the build, whose names change
 * with their content, and one empty page. What the API says is never kept: amounts are only true when they are fresh.
 */
type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void };
type Fetch = Extendable & { request: Request; respondWith: (answer: Promise<Response>) => void };
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

const scope = self as unknown as Scope;
/** Put in by the build, which looks for these very words. */
const files = (self as unknown as Scope).__WB_MANIFEST;
/** The files of this build: kept ones that it doesn't name are of an older one. */
const current = new Set(files.map(({ url }) => new URL(url, location.origin).pathname));

/** What it takes to begin and to say what is wrong; the browser has most of it already when this asks. */
const CORE = /\/(index|libraries|shell|rolldown-runtime|common|errors|public-layout|bare-layout|login|login-page)-/;

/** The page is fetched again with each build, past the browser's own cache. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([
    cache.add(new Request(PAGE, { cache: 'reload' })),
    ...[...current].filter((path) => CORE.test(path)).map((path) => cache.add(path)),
  ]);
}

async function dropOld(): Promise<void> {
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
  return answer;
}

/** Pages come from the server; without a line, the empty one starts the app, which says that it is offline. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const kept = await caches.match(PAGE);
    if (kept) return kept;
    throw failure;
  }
}

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(dropOld()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (url.pathname.startsWith(ASSETS)) event.respondWith(fromCache(request));
});
