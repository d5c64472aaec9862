import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { InstallGuide } from './install-guide.tsx';
import { type InstallMethod, installMethod, recordRefusal } from './install-state.ts';
import { EXTERNAL_BROWSER_URL, install, opensExternally } from './install-method.ts';

/** Offers to install the app, in the position of the strip of open items. @param isShown false behind a dialog */
export function InstallCard({ isShown }: { isShown: boolean }) {
  const { t } = useTranslation('install');
  const [guideMethod, setGuideMethod] = useState<InstallMethod>();
  const method = installMethod();
  return (
    <>
      {isShown && (
        <section
          aria-label={t('card.title')}
          className="fixed inset-x-2 bottom-[calc(6.375rem+env(safe-area-inset-bottom))] z-20 mx-auto max-w-2xl animate-rise rounded-md bg-raised p-3 text-ivory shadow-high ring-1 ring-gold/60 lg:right-8 lg:bottom-6 lg:left-68"
        >
          <div className="flex items-center gap-3">
            <img src="/icons/icon-192.png" alt="" width="44" height="44" className="size-11 shrink-0 rounded-md" />
            <div className="min-w-0 grow leading-snug">
              <p className="font-semibold">{t('card.title')}</p>
              <p className="text-sm text-muted">{method === 'inApp' ? t('inApp.why') : t('card.text')}</p>
            </div>
          </div>
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button variant="plain" size="sm" onClick={recordRefusal}>
              {t('card.later')}
            </Button>
            {method === 'inApp' && opensExternally() ? (
              <a href={EXTERNAL_BROWSER_URL} className={buttonClass('gold', 'sm')}>
                {t('card.browser')}
              </a>
            ) : method === 'prompt' ? (
              <Button variant="gold" size="sm" onClick={() => void install()}>
                {t('card.install')}
              </Button>
            ) : (
              <Button variant="gold" size="sm" aria-haspopup="dialog" onClick={() => setGuideMethod(method)}>
                {method === 'inApp' ? t('card.browser') : t('card.how')}
              </Button>
            )}
          </div>
        </section>
      )}
      {guideMethod && <InstallGuide method={guideMethod} onClose={() => setGuideMethod(undefined)} />}
    </>
  );
}
