import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { isOnline, onConnectionChange } from '../../browser/connection.ts';
import { OfflineIcon } from './icons.tsx';
import { toast } from './toast.tsx';

/** Whether the server can be reached, as far as the app can tell. */
export const useOnline = (): boolean => useSyncExternalStore(onConnectionChange, isOnline, () => true);

/** Announces a lost connection and the reconnection. */
export function OfflineBanner() {
  const { t } = useTranslation('common');
  const online = useOnline();
  const wasOnline = useRef(online);
  useEffect(() => {
    if (online && !wasOnline.current) toast.success(t('offline.back'));
    wasOnline.current = online;
  }, [online, t]);
  return <OfflineText className="sticky top-0 z-30" />;
}

/** Offline text for the page and for each modal: content behind an open modal is inert. */
export function OfflineText({ className }: { className: string }) {
  const { t } = useTranslation('common');
  const online = useOnline();
  return (
    <output className={`block ${className}`}>
      {!online && (
        <p className="flex items-center justify-center gap-3 bg-amber-deep px-4 py-2 text-sm text-amber">
          <OfflineIcon className="size-5" />
          {t('offline.now')}
        </p>
      )}
    </output>
  );
}
