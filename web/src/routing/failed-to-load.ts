import { probe } from '../connection.ts';
import { i18n } from '../i18n/i18n.ts';
import { toast } from '../ui/overlay/toast-store.ts';

const RELOADED = 'reloadedFor';

/**
 * A part of the app could not be loaded. After a new release the old parts are gone, and one full load of the page gets
 * the new ones; without a connection, nothing but telling helps.
 */
export function failedToLoad(failure: unknown): void {
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
