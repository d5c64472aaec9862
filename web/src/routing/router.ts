import type { Catalogue, Namespace } from '@krapao/phrases/catalogue';
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { clearSession, storedToken } from '../api/session.ts';
import { onReconnect } from '../browser/connection.ts';
import { createListeners } from '../browser/listeners.ts';
import { loadNamespaces } from '../i18n/i18n.ts';
import { loginPath } from './login-target.ts';
import { leaveToLogin } from './navigation.ts';

/**
 * Layout and session rule of a screen. `public` clears a stored session; `member` needs one; `bare` does neither and
 * has no menu.
 */
export type Shell = 'public' | 'member' | 'bare';

export type Page = ComponentType;
export type Layout = ComponentType<{ children: ReactNode }>;

/** A screen: its path, its layout, and what loads before the screen is shown. */
export type Route = {
  path: string;
  shell: Shell;
  /** Key of the page title in `common:title`. */
  title: keyof Catalogue['common']['title'];
  /** Loads the screen's component. */
  page: () => Promise<Page>;
  /** Namespaces of the screen in addition to `common`. */
  namespaces: readonly Namespace[];
  /** Runs each time the screen is opened; the router does not wait for it. */
  onEnter?: () => void;
};

/** A path that redirects to another one. */
export type Redirect = { path: string; to: string };

/** A displayed screen: a route whose page and layout are loaded. */
export type Screen = { path: string; route: Route; Page: Page; Layout: Layout };

export type RouteTable = {
  routes: readonly Route[];
  redirects: readonly Redirect[];
  notFound: Route;
  layouts: Readonly<Record<Shell, () => Promise<Layout>>>;
  /** Resolves when the complete style sheet is loaded; a prerendered page starts with only its own styles. */
  styles: () => Promise<unknown>;
};

/**
 * The router changes the screen only after the new screen's module and texts have loaded. React therefore never shows a
 * Suspense fallback, which would delay the first paint by 300 ms.
 */
let currentScreen: Screen | undefined;
let table: RouteTable;
let navigationCount = 0;
const changes = createListeners();

const withoutTrailingSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

/** Route of a path, or the redirect of that path. */
function resolveRoute(path: string, searchAndHash: string, routes: RouteTable = table): Route | { to: string } {
  const redirect = routes.redirects.find((candidate) => candidate.path === path);
  if (redirect) return { to: redirect.to };
  const route = routes.routes.find((candidate) => candidate.path === path) ?? routes.notFound;
  if (route.shell === 'member' && !storedToken()) return { to: loginPath(path + searchAndHash) };
  return route;
}

/** Route of the current URL after redirects, and the resolved URL. */
export function resolveLanding(routes: RouteTable): { route: Route; address: string } {
  let address = location.pathname + location.search + location.hash;
  for (;;) {
    const { pathname, search, hash } = new URL(address, location.origin);
    const routeOrRedirect = resolveRoute(withoutTrailingSlash(pathname), search + hash, routes);
    if (!('to' in routeOrRedirect)) return { route: routeOrRedirect, address };
    address = routeOrRedirect.to;
  }
}

/**
 * Namespaces needed by a route. A public screen is prerendered with its own texts only; `parts` loads later (see
 * `main.tsx`).
 */
export const namespacesOf = (route: Route): readonly Namespace[] => [
  'common',
  ...(route.shell === 'public' ? [] : (['parts'] as const)),
  ...route.namespaces,
];

/** Loads module, layout, texts and styles of a route concurrently. */
export async function loadScreen(route: Route, path: string = route.path, routes: RouteTable = table): Promise<Screen> {
  const [Page, Layout] = await Promise.all([
    route.page(),
    routes.layouts[route.shell](),
    loadNamespaces(namespacesOf(route)),
    routes.styles(),
  ]);
  return { path, route, Page, Layout };
}

/** Whether the event restores the page from the back-forward cache. */
const isRestored = (event: Event | undefined): boolean => event instanceof PageTransitionEvent && event.persisted;

const HOME = '/user/home';

/** Whether Back or Forward led here: within the page, from the back-forward cache, or by a page load. */
const isTraversal = (event: Event | undefined): boolean =>
  event?.type === 'popstate' ||
  isRestored(event) ||
  (!event &&
    (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type ===
      'back_forward');

async function showScreenOfUrl(event?: Event): Promise<void> {
  const thisNavigation = ++navigationCount;
  const path = withoutTrailingSlash(location.pathname);
  const routeOrRedirect = resolveRoute(path, location.search + location.hash);
  // Redirects before comparing paths: a member who has just logged out must not stay on the old screen.
  if ('to' in routeOrRedirect) {
    // The session ended while the page was in the back-forward cache, which receives no events.
    if (isRestored(event) && currentScreen?.route.shell === 'member') return leaveToLogin();
    return navigate(routeOrRedirect.to, { replace: true });
  }
  const isOtherPath = path !== currentScreen?.path;
  if (routeOrRedirect.shell === 'public' && (isOtherPath || isRestored(event))) {
    // Back to the login page must not log out: the member never left it by choice.
    if (isTraversal(event) && storedToken()) return navigate(HOME, { replace: true });
    clearSession();
  }
  if (!isOtherPath) return;
  routeOrRedirect.onEnter?.();
  const endPending = beginPending();
  try {
    const nextScreen = await loadScreen(routeOrRedirect, path);
    if (thisNavigation === navigationCount) showScreen(nextScreen);
  } catch (failure) {
    // Either a chunk of an older build is gone or there is no connection. A full reload loads the new build or shows
    // the browser's error.
    if (thisNavigation === navigationCount) onScreenFailure(failure);
  } finally {
    endPending();
  }
}

/** Events after which the URL may have changed: navigation, and restoring from the back-forward cache. */
const URL_EVENTS = ['popstate', 'pushState', 'replaceState', 'pageshow'] as const;

const onUrlEvent = (event: Event): void => {
  // The first `pageshow` event belongs to the initial page load.
  if (event.type !== 'pageshow' || isRestored(event)) void showScreenOfUrl(event);
};

let onScreenFailure: (failure: unknown) => void = () => undefined;

/** Whether a screen is displayed; false while the first screen loads and after it has failed to load. */
export const hasScreen = (): boolean => currentScreen !== undefined;

function showScreen(nextScreen: Screen): void {
  currentScreen = nextScreen;
  changes.notify();
}

/**
 * Shows the first screen and follows the URL.
 * @param route route of a prerendered page, whose styles and texts are not loaded again
 */
export async function startScreens(
  routes: RouteTable,
  handleScreenFailure: (failure: unknown) => void,
  route?: Route,
): Promise<void> {
  table = routes;
  onScreenFailure = handleScreenFailure;
  for (const type of URL_EVENTS) addEventListener(type, onUrlEvent);
  // After a reconnection, retries a screen that failed to load.
  onReconnect(() => void showScreenOfUrl());
  if (!route) return showScreenOfUrl();
  if (route.shell === 'public') {
    if (isTraversal(undefined) && storedToken()) return showScreenOfUrl();
    clearSession();
  }
  // The prerendered page has its own styles: waiting for the complete sheet would only delay hydration.
  const [Page, Layout] = await Promise.all([route.page(), routes.layouts[route.shell]()]);
  showScreen({ path: withoutTrailingSlash(location.pathname), route, Page, Layout });
  // Called last because it may navigate, and this screen must not replace the navigation's target.
  route.onEnter?.();
}

export const useScreen = (): Screen | undefined =>
  useSyncExternalStore(
    changes.subscribe,
    () => currentScreen,
    () => currentScreen,
  );

/** Location hook for wouter: the path of the displayed screen, not of a screen that is still loading. */
export const useScreenPath = (): [string, typeof navigate] => [useScreen()?.path ?? '/', navigate];

/** Sets the screen for prerendering, which has no URL. */
export const setScreen = (screen: Screen): void => showScreen(screen);

/** Preloads the screen of a link. */
export function prefetch(path: string): void {
  const route = table?.routes.find((candidate) => candidate.path === path);
  if (route) void loadScreen(route).catch(() => undefined);
}
