import { useCallback, useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { clearSession } from '../api/session.ts';
import { loginPath } from './login-target.ts';
import { onReconnect, probe } from '../shell/connection.ts';
import { saveInputs } from '../shell/saved-inputs.ts';
import { i18n } from '../i18n/i18n.ts';
import { toast } from '../ui/core/toast.tsx';

/** Clears the ended session and opens /login with the current page as target. */
export function leaveToLogin(): void {
  clearSession();
  if (location.pathname !== '/login')
    navigate(loginPath(location.pathname + location.search + location.hash), { replace: true });
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
