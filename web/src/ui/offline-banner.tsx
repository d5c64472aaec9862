import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { OfflineIcon } from './icons/shell-icons.tsx';
import { toast } from './toast-store.ts';

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
};

/** Says that the line is gone, what that means, and when it is back. */
export function OfflineBanner() {
  const { t } = useTranslation('common');
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  const wasOnline = useRef(isOnline);
  useEffect(() => {
    if (isOnline && !wasOnline.current) toast.success(t('offline.back'));
    wasOnline.current = isOnline;
  }, [isOnline, t]);
  return (
    <output className="sticky top-0 block z-30">
      {!isOnline && (
        <p className="flex items-center justify-center gap-3 bg-amber-deep px-4 py-2 text-sm text-amber">
          <OfflineIcon className="size-5" />
          {t('offline.now')}
        </p>
      )}
    </output>
  );
}
