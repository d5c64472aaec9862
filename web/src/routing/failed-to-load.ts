import { i18n } from '../i18n/i18n.ts';
import { toast } from '../ui/toast-store.ts';

const RELOADED = 'reloadedFor';

/**
 * A part of the app didn't come. After a new release the old parts are gone, and one full load of the page gets the new
 * ones; without a line, nothing but telling helps.
 */
export function failedToLoad(failure: unknown): void {
  const isFirst = history.state?.[RELOADED] !== location.href;
  if (navigator.onLine && isFirst) {
    history.replaceState({ ...history.state, [RELOADED]: location.href }, '');
    location.reload();
    return;
  }
  reportError(failure);
  toast.danger(i18n.t('common:noAnswer'));
}
