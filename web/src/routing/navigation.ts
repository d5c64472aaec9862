import { useCallback, useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { clearSession, lastSessionPhone, storedPhone } from '../api/session.ts';
import { onReconnect, probe } from '../browser/connection.ts';
import { i18n } from '../i18n/i18n.ts';
import { toast } from '../ui/core/toast.tsx';
import { loginPath } from './login-target.ts';
import { openSheetAddress, saveInputs, saveInputsBeyondSession } from './saved-inputs.ts';

/**
 * Clears the session and opens /login with the current page as target. After the end of a session, the login page says
 * so, and typed input and the open sheet return with the next login of the same member.
 * @param hasEnded false if there was no session
 */
export function leaveToLogin(hasEnded = true): void {
  const phone = hasEnded ? lastSessionPhone() : '';
  // Without the phone, the login page can't tell whose sheet it was.
  const target = (phone && openSheetAddress()) || location.pathname + location.search + location.hash;
  // Two tabs end each other's session: the second end finds no form, and must not replace what the first saved.
  if (location.pathname === '/login') return clearSession();
  saveInputsBeyondSession(phone, clearSession);
  navigate(loginPath(target), { replace: true, state: hasEnded ? { phone, hasEnded } : null });
}

/** Another session has replaced the stored one: a reload drops its data. The same member keeps sheet and typed input. */
export function reloadForOtherSession(): void {
  if (lastSessionPhone() !== '' && lastSessionPhone() === storedPhone()) {
    saveInputsBeyondSession(lastSessionPhone(), () => undefined);
    if (openSheetAddress()) history.replaceState(null, '', openSheetAddress());
  }
  location.reload();
}

/** Opens the page for a closed site. */
export function leaveToTerminated(): void {
  if (location.pathname !== '/terminated') navigate('/terminated', { replace: true });
}

const RELOADED_KEY = 'reloadedFor';

/**
 * Handles a chunk that failed to load. After a release the old chunks are gone, and a full reload loads the new ones.
 * Without a connection, only an error can be shown.
 */
export function handleChunkError(failure: unknown): void {
  void reloadOnce().then((isReloading) => {
    if (isReloading) return;
    reportError(failure);
    toast.danger(i18n.t('common:noAnswer'));
  });
}

/**
 * Reloads the page, at most once per URL and only if the server is reachable. Typed input survives. @returns whether the page
 * reloads
 */
export async function reloadOnce(): Promise<boolean> {
  if (history.state?.[RELOADED_KEY] === location.href || !(await probe())) return false;
  history.replaceState({ ...history.state, [RELOADED_KEY]: location.href }, '');
  saveInputs();
  location.reload();
  return true;
}

export type LazyModuleOptions = {
  /** Whether loading may start. */
  isEnabled?: boolean;
  /** The page works without it: a failed load is ignored until the next visit. */
  isOptional?: boolean;
};

/**
 * Loads a module of the page lazily. A failed load is shown, and retried after a reconnection.
 * @returns `loadedModule`: undefined until loaded; `load`: starts or retries loading
 */
export function useLazyModule<T extends object>(importModule: () => Promise<T>, options: LazyModuleOptions = {}) {
  const { isEnabled = true, isOptional = false } = options;
  const [loadedModule, setLoadedModule] = useState<T>();
  const [loadCount, setLoadCount] = useState(0);
  const load = useCallback(() => setLoadCount((count) => count + 1), []);
  useEffect(() => {
    if (!isEnabled || loadedModule) return undefined;
    importModule().then(
      (newModule) => setLoadedModule(() => newModule),
      (failure: unknown) => isOptional || handleChunkError(failure),
    );
    return isOptional ? undefined : onReconnect(load);
  }, [importModule, isEnabled, isOptional, loadedModule, loadCount, load]);
  return { loadedModule, load };
}
