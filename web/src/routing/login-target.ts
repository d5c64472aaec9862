import { parseUrl } from '../format/web-address.ts';

/** The query parameter of /login that remembers where a member wanted to go. */
export const TARGET_PARAMETER = 'target';
const HOME = '/user';

/**
 * A remembered target, if it is a place of ours for members. Anything else is an attempt to send someone elsewhere:
 * other hosts, `//host`, backslashes, control characters, other schemes, and paths that only look like ours.
 */
export function safeTarget(target: string | null | undefined): string | undefined {
  if (!target || !target.startsWith('/') || /[\\\s]|[^\x20-\x7e]/.test(target)) return undefined;
  const base = 'https://this.invalid';
  const url = parseUrl(target, base);
  if (!url || url.origin !== base) return undefined;
  if (url.pathname !== HOME && !url.pathname.startsWith(`${HOME}/`)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Where a login leads: the remembered target, else the member's home. */
export const targetAfterLogin = (search: string): string =>
  safeTarget(new URLSearchParams(search).get(TARGET_PARAMETER)) ?? HOME;

/** /login with a target remembered. */
export function loginPath(target: string): string {
  const safe = safeTarget(target);
  return safe && safe !== HOME ? `/login?${TARGET_PARAMETER}=${encodeURIComponent(safe)}` : '/login';
}
