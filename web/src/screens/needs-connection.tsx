import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/query/query.ts';
import { isOnline, onConnectionChange } from '../browser/connection.ts';

/** Whether a visible first load waits for the connection. */
const isWaiting = (): boolean =>
  !isOnline() &&
  queryClient
    .getQueryCache()
    .getAll()
    .some((query) => query.isActive() && query.state.data === undefined && query.state.fetchStatus === 'paused');

function subscribe(listener: () => void): () => void {
  const unsubscribe = [queryClient.getQueryCache().subscribe(listener), onConnectionChange(listener)];
  return () => unsubscribe.forEach((end) => end());
}

/** Replaces the placeholders of the page, which would stay without a connection. */
export function NeedsConnection() {
  const { t, ready } = useTranslation('parts');
  const isShown = useSyncExternalStore(subscribe, isWaiting, () => false);
  return (
    isShown &&
    ready && (
      <p
        role="status"
        className="needs-connection mx-auto mb-4 max-w-2xl rounded-lg bg-panel p-4 text-center text-muted ring-1 ring-line"
      >
        {t('needsConnection')}
      </p>
    )
  );
}
