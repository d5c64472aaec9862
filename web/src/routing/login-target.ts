import { parseUrl } from '../format/web-address.ts';

/** Query parameter of /login with the target after login. */
export const TARGET_PARAMETER = 'target';
const HOME = '/user';

/**
 * A stored target, if it is a member page of this site. Anything else is a redirect attack: other hosts, `//host`,
 * backslashes, control characters, other schemes, and paths that only look like member pages.
 */
export function safeTarget(target: string | null | undefined): string | undefined {
  if (!target || !target.startsWith('/') || /[\\\s]|[^\x20-\x7e]/.test(target)) return undefined;
  const base = 'https://this.invalid';
  const url = parseUrl(target, base);
  if (!url || url.origin !== base) return undefined;
  if (url.pathname !== HOME && !url.pathname.startsWith(`${HOME}/`)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Target after login: the stored one, else the member's home. */
export const targetAfterLogin = (search: string): string =>
  safeTarget(new URLSearchParams(search).get(TARGET_PARAMETER)) ?? HOME;

export function loginPath(target: string): string {
  const safe = safeTarget(target);
  return safe && safe !== HOME ? `/login?${TARGET_PARAMETER}=${encodeURIComponent(safe)}` : '/login';
}
