import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyArt } from '../ui/data/empty-state.tsx';
import { markTerminated } from '../shell/site-status.ts';

/** Page of a closed site, without links. */
export function TerminatedPage() {
  const { t } = useTranslation('parts');
  useEffect(() => markTerminated(true), []);
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <EmptyArt className="h-40 w-52" />
      <p lang="en" className="-mb-3 text-sm tracking-wide text-gold">
        Page not found
      </p>
      <h1 className="text-2xl font-bold">{t('terminated.heading')}</h1>
      <p className="text-muted">{t('terminated.text')}</p>
    </div>
  );
}
