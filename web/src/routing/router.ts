import type { Catalogue, Namespace } from '@krapao/phrases/catalogue';
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { onReconnect } from '../shell/connection.ts';
import { clearSession, storedToken } from '../api/session.ts';
import { loadNamespaces } from '../i18n/i18n.ts';
import { beginPending } from '../api/call.ts';
import { loginPath } from './login-target.ts';

/** `public` clears a stored session, `member` needs one, `bare` cares about neither and has no menu. */
export type Shell = 'public' | 'member' | 'bare';

export type Page = ComponentType;
export type Layout = ComponentType<{ children: ReactNode }>;

/** One screen: its address, the shell around it, and what must be there before it is shown. */
export type Route = {
  path: string;
  shell: Shell;
  /** Key of `common:title`. */
  title: keyof Catalogue['common']['title'];
  /** Loads the screen's component. */
  page: () => Promise<Page>;
  /** Files of words the screen uses, beyond `common`. */
  words: readonly Namespace[];
  /** Runs each time the screen is opened by its address, without being waited for. */
  onEnter?: () => void;
};

/** An address that is only a way to another. */
export type Redirect = { path: string; to: string };

/** What is on screen: a route with everything it needs already there. */
export type Screen = { path: string; route: Route; Page: Page; Layout: Layout };

export type RouteTable = {
  routes: readonly Route[];
  redirects: readonly Redirect[];
  notFound: Route;
  layouts: Readonly<Record<Shell, () => Promise<Layout>>>;
  /** Resolves when the whole style sheet is in; a prerendered page starts with only its own part. */
  styles: () => Promise<unknown>;
};

/**
 * The screen follows the address, but only when the module and the words of the new one have arrived: React never has
 * to show a fallback, which would hold the first paint back by 300 ms.
 */
let screen: Screen | undefined;
let table: RouteTable;
let turn = 0;
const listeners = new Set<() => void>();

const normal = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** The route of a path, or where it leads instead. */
function resolve(path: string, rest: string, routes: RouteTable = table): Route | { to: string } {
  const redirect = routes.redirects.find((way) => way.path === path);
  if (redirect) return { to: redirect.to };
  const route = routes.routes.find((known) => known.path === path) ?? routes.notFound;
  if (route.shell === 'member' && !storedToken()) return { to: loginPath(path + rest) };
  return route;
}

/** The route that the address of the page leads to, and the address of that one. */
export function resolveLanding(routes: RouteTable): { route: Route; address: string } {
  let address = location.pathname + location.search + location.hash;
  for (;;) {
    const { pathname, search, hash } = new URL(address, location.origin);
    const found = resolve(normal(pathname), search + hash, routes);
    if (!('to' in found)) return { route: found, address };
    address = found.to;
  }
}

/**
 * The public screens are prerendered and carry their words along, so that they take no more than they show; the words
 * of the parts follow them (see `main.tsx`).
 */
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

/** The browser shows a page again that it kept in memory, as it was left. */
const isRestored = (event: Event | undefined): boolean => event instanceof PageTransitionEvent && event.persisted;

async function follow(event?: Event): Promise<void> {
  const mine = ++turn;
  const path = normal(location.pathname);
  const found = resolve(path, location.search + location.hash);
  // Before what is shown already: who has just logged out must not stay by pressing where they are.
  if ('to' in found) return navigate(found.to, { replace: true });
  const isEntered = path !== screen?.path;
  // By whichever way it is entered: a link, an address, Back, or a page that the browser kept.
  if (found.shell === 'public' && (isEntered || isRestored(event))) clearSession();
  if (!isEntered) return;
  found.onEnter?.();
  const end = beginPending();
  try {
    const next = await prepare(found, path);
    if (mine === turn) show(next);
  } catch (failure) {
    // A chunk of an older build is no longer there, or the line is down: a full load gets the new one or the browser's word.
    if (mine === turn) onBroken(failure);
  } finally {
    end();
  }
}

/** Events after which the address may have changed: navigation and back-forward cache restores. */
const FOLLOWED = ['popstate', 'pushState', 'replaceState', 'pageshow'] as const;

const onFollowed = (event: Event): void => {
  // The first one belongs to a page that is being loaded.
  if (event.type !== 'pageshow' || isRestored(event)) void follow(event);
};

let onBroken: (failure: unknown) => void = () => undefined;

/** Whether there is a screen to show; none while the first is being loaded, and after that failed. */
export const hasScreen = (): boolean => screen !== undefined;

function show(next: Screen): void {
  screen = next;
  for (const listener of listeners) listener();
}

/**
 * Follows the address from here on.
 * @param route what is shown already (a prerendered page), so that it isn't loaded again
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
  // Only now: what it hears may lead elsewhere, and this screen must not come after that one.
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

/** wouter's idea of the address: that of the screen shown, not of one still on its way. */
export const useScreenPath = (): [string, typeof navigate] => [useScreen()?.path ?? '/', navigate];

/** For prerendering: what to render, without an address bar. */
export const setScreen = (next: Screen): void => show(next);

/** Begins to load what a link leads to, before it is pressed. */
export function prefetch(path: string): void {
  const route = table?.routes.find((known) => known.path === path);
  if (route) void prepare(route).catch(() => undefined);
}
