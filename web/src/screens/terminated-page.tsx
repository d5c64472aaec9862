import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useOperatorData } from '../api/operator-data.ts';
import { markTerminated } from '../shell/site-status.ts';
import { buttonClass } from '../ui/core/button.tsx';
import { EmptyArt } from '../ui/data/empty-state.tsx';

/** A web address or a deep link into the chat app. */
const CHAT_LINK = /^(?:https?|line):/i;

/** Page of a closed site. Its only link leads to support, for money that is still there. */
export function TerminatedPage() {
  const { t } = useTranslation('parts');
  useEffect(() => markTerminated(true), []);
  const link = useOperatorData('GET /api/lookup/contact', true).data?.lineLink ?? '';
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <EmptyArt className="h-40 w-52" />
      <p lang="en" className="-mb-3 text-sm tracking-wide text-gold">
        Page not found
      </p>
      <h1 className="text-2xl font-bold">{t('terminated.heading')}</h1>
      <p className="text-muted">{t('terminated.text')}</p>
      {CHAT_LINK.test(link) && (
        <a href={link} rel="noopener noreferrer" className={buttonClass()}>
          {t('terminated.contact')}
        </a>
      )}
    </div>
  );
}
