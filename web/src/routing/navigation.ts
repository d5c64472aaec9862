import { navigate } from 'wouter/use-browser-location';
import { clearSession } from '../api/session.ts';
import { loginPath } from './login-target.ts';
import { probe } from '../shell/connection.ts';
import { i18n } from '../i18n/i18n.ts';
import { toast } from '../ui/core/toast.tsx';

/** After the end of the session: clears it and opens /login with the current page as target. */
export function leaveToLogin(): void {
  clearSession();
  if (location.pathname !== '/login')
    navigate(loginPath(location.pathname + location.search + location.hash), { replace: true });
}

/** The site is closed. */
export function leaveToTerminated(): void {
  if (location.pathname !== '/terminated') navigate('/terminated', { replace: true });
}

const RELOADED = 'reloadedFor';

/**
 * A chunk failed to load. After a release old chunks are gone, and a full reload gets the new ones; without a
 * connection, only an error can be shown.
 */
export function handleChunkError(failure: unknown): void {
  void reloadOnce().then((reloads) => {
    if (reloads) return;
    reportError(failure);
    toast.danger(i18n.t('common:noAnswer'));
  });
}

/** Reloads the page once per address, if the server is reachable. @returns whether it reloads */
export async function reloadOnce(): Promise<boolean> {
  if (history.state?.[RELOADED] === location.href || !(await probe())) return false;
  history.replaceState({ ...history.state, [RELOADED]: location.href }, '');
  location.reload();
  return true;
}
