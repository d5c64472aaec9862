import { parseUrl } from '../format/web-address.ts';

/** Query parameter of /login with the path to open after login. */
export const TARGET_PARAMETER = 'target';
export const MEMBER_HOME = '/user';

/**
 * Returns a target if it is a member page of this site, else undefined. Other values may be redirect attacks: other
 * hosts, `//host`, backslashes, control characters, other schemes, and paths that only resemble member pages.
 */
export function safeTarget(target: string | null | undefined): string | undefined {
  if (!target || !target.startsWith('/') || /[\\\s]|[^\x20-\x7e]/.test(target)) return undefined;
  const baseUrl = 'https://this.invalid';
  const url = parseUrl(target, baseUrl);
  if (!url || url.origin !== baseUrl) return undefined;
  if (url.pathname !== MEMBER_HOME && !url.pathname.startsWith(`${MEMBER_HOME}/`)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Path to open after login: the target in the query, else the member's home. */
export const targetAfterLogin = (search: string): string =>
  safeTarget(new URLSearchParams(search).get(TARGET_PARAMETER)) ?? MEMBER_HOME;

export function loginPath(target: string): string {
  const checkedTarget = safeTarget(target);
  return checkedTarget && checkedTarget !== MEMBER_HOME
    ? `/login?${TARGET_PARAMETER}=${encodeURIComponent(checkedTarget)}`
    : '/login';
}
