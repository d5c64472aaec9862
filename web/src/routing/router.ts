import type { Catalogue, Namespace } from '@krapao/phrases/catalogue';
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { onReconnect } from '../shell/connection.ts';
import { clearSession, storedToken } from '../api/session.ts';
import { loadNamespaces } from '../i18n/i18n.ts';
import { beginPending } from '../api/call.ts';
import { loginPath } from './login-target.ts';

/** `public` clears a stored session, `member` needs one, `bare` does neither and has no menu. */
export type Shell = 'public' | 'member' | 'bare';

export type Page = ComponentType;
export type Layout = ComponentType<{ children: ReactNode }>;

/** One screen: its path, its layout, and what loads before it is shown. */
export type Route = {
  path: string;
  shell: Shell;
  /** Key of `common:title`. */
  title: keyof Catalogue['common']['title'];
  /** Loads the screen's component. */
  page: () => Promise<Page>;
  /** Namespaces of the screen, without `common`. */
  words: readonly Namespace[];
  /** Runs each time the screen is opened; not awaited. */
  onEnter?: () => void;
};

/** A path that redirects to another one. */
export type Redirect = { path: string; to: string };

/** The displayed screen: a route with everything loaded. */
export type Screen = { path: string; route: Route; Page: Page; Layout: Layout };

export type RouteTable = {
  routes: readonly Route[];
  redirects: readonly Redirect[];
  notFound: Route;
  layouts: Readonly<Record<Shell, () => Promise<Layout>>>;
  /** Resolves when the complete style sheet is loaded; a prerendered page starts with its own share. */
  styles: () => Promise<unknown>;
};

/**
 * The screen follows the URL once the module and the texts of the new one have loaded: React never shows a Suspense
 * fallback, which would delay the first paint by 300 ms.
 */
let screen: Screen | undefined;
let table: RouteTable;
let turn = 0;
const listeners = new Set<() => void>();

const normal = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** The route of a path, or its redirect. */
function resolve(path: string, rest: string, routes: RouteTable = table): Route | { to: string } {
  const redirect = routes.redirects.find((way) => way.path === path);
  if (redirect) return { to: redirect.to };
  const route = routes.routes.find((known) => known.path === path) ?? routes.notFound;
  if (route.shell === 'member' && !storedToken()) return { to: loginPath(path + rest) };
  return route;
}

/** The route of the page's URL, and its resolved path. */
export function resolveLanding(routes: RouteTable): { route: Route; address: string } {
  let address = location.pathname + location.search + location.hash;
  for (;;) {
    const { pathname, search, hash } = new URL(address, location.origin);
    const found = resolve(normal(pathname), search + hash, routes);
    if (!('to' in found)) return { route: found, address };
    address = found.to;
  }
}

/** Public screens are prerendered with their texts, and only those; the texts of `parts` follow (see `main.tsx`). */
export const namespacesOf = (route: Route): readonly Namespace[] => [
  'common',
  ...(route.shell === 'public' ? [] : (['parts'] as const)),
  ...route.words,
];

/** Loads all that a route needs, concurrently. */
export async function prepare(route: Route, path: string = route.path, routes: RouteTable = table): Promise<Screen> {
  const [Page, Layout] = await Promise.all([
    route.page(),
    routes.layouts[route.shell](),
    loadNamespaces(namespacesOf(route)),
    routes.styles(),
  ]);
  return { path, route, Page, Layout };
}

/** Restored from the back-forward cache. */
const isRestored = (event: Event | undefined): boolean => event instanceof PageTransitionEvent && event.persisted;

async function follow(event?: Event): Promise<void> {
  const thisTurn = ++turn;
  const path = normal(location.pathname);
  const found = resolve(path, location.search + location.hash);
  // Before comparing with the current screen: a member who has just logged out must not stay there.
  if ('to' in found) return navigate(found.to, { replace: true });
  const isEntered = path !== screen?.path;
  // However it is entered: a link, a URL, Back, or the back-forward cache.
  if (found.shell === 'public' && (isEntered || isRestored(event))) clearSession();
  if (!isEntered) return;
  found.onEnter?.();
  const end = beginPending();
  try {
    const next = await prepare(found, path);
    if (thisTurn === turn) show(next);
  } catch (failure) {
    // A chunk of an older build is gone, or the connection is down: a full reload loads the new one or shows the
    // browser's error.
    if (thisTurn === turn) onBroken(failure);
  } finally {
    end();
  }
}

/** Events after which the address may have changed: navigation and back-forward cache restores. */
const FOLLOWED = ['popstate', 'pushState', 'replaceState', 'pageshow'] as const;

const onFollowed = (event: Event): void => {
  // The first event belongs to the page load itself.
  if (event.type !== 'pageshow' || isRestored(event)) void follow(event);
};

let onBroken: (failure: unknown) => void = () => undefined;

/** False while the first screen loads, and after that failed. */
export const hasScreen = (): boolean => screen !== undefined;

function show(next: Screen): void {
  screen = next;
  for (const listener of listeners) listener();
}

/**
 * Follows the URL from now on.
 * @param route of the prerendered page, which is not loaded again
 */
export async function startScreens(
  routes: RouteTable,
  broken: (failure: unknown) => void,
  route?: Route,
): Promise<void> {
  table = routes;
  onBroken = broken;
  for (const type of FOLLOWED) addEventListener(type, onFollowed);
  // Retries a screen that failed to load without a connection.
  onReconnect(() => void follow());
  if (!route) return follow();
  if (route.shell === 'public') clearSession();
  // Not `prepare`: the prerendered page has its own styles, and waiting for the rest would only delay it.
  const [Page, Layout] = await Promise.all([route.page(), routes.layouts[route.shell]()]);
  show({ path: normal(location.pathname), route, Page, Layout });
  // Last: it may navigate elsewhere, and this screen must not replace that one.
  route.onEnter?.();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useScreen = (): Screen | undefined =>
  useSyncExternalStore(
    subscribe,
    () => screen,
    () => screen,
  );

/** wouter's location: of the displayed screen, not of one that is loading. */
export const useScreenPath = (): [string, typeof navigate] => [useScreen()?.path ?? '/', navigate];

/** For prerendering, without a URL. */
export const setScreen = (next: Screen): void => show(next);

/** Preloads the screen of a link. */
export function prefetch(path: string): void {
  const route = table?.routes.find((known) => known.path === path);
  if (route) void prepare(route).catch(() => undefined);
}
