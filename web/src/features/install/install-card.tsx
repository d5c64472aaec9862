import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { InstallGuide } from './install-guide.tsx';
import { EXTERNAL_BROWSER_URL, install, opensExternally } from './install-method.ts';
import { type InstallMethod, installMethod, recordRefusal } from './install-state.ts';
import { BAR_CLASS } from './update-bar.tsx';

/** With large text, or on the narrowest phones, the action is below the text. */
const ACTION_CLASS = 'narrow:order-last narrow:mr-1.5 narrow:grow';

/** Offers to install the app, in the position of the offer of a new build. @param isShown false behind a dialog */
export function InstallCard({ isShown }: { isShown: boolean }) {
  const { t } = useTranslation('install');
  const [guideMethod, setGuideMethod] = useState<InstallMethod>();
  const method = installMethod();
  return (
    <>
      {isShown && (
        <section
          aria-label={t('card.title')}
          className={`${BAR_CLASS} flex min-h-12 max-w-2xl items-center gap-3 py-0.5 pr-0.5 pl-3 narrow:flex-wrap narrow:gap-1 narrow:pb-2`}
        >
          <img src="/icons/icon-192.png" alt="" width="40" height="40" className="size-10 rounded-sm max-sm:hidden" />
          <div className="min-w-0 flex-1 py-1 text-sm leading-snug narrow:min-w-3/5">
            {/* On phones one sentence fits above the page. */}
            <p className={`font-semibold ${method === 'inApp' ? 'max-sm:hidden' : ''}`}>{t('card.title')}</p>
            <p className={`text-muted ${method === 'inApp' ? '' : 'max-sm:hidden'}`}>
              {method === 'inApp' ? t('inApp.why') : t('card.text')}
            </p>
          </div>
          {method === 'inApp' && opensExternally() ? (
            <a href={EXTERNAL_BROWSER_URL} className={`shrink-0 ${ACTION_CLASS} ${buttonClass('gold', 'sm')}`}>
              {t('card.browser')}
            </a>
          ) : method === 'prompt' ? (
            <Button variant="gold" size="sm" onClick={() => void install()} className={`shrink-0 ${ACTION_CLASS}`}>
              {t('card.install')}
            </Button>
          ) : (
            <Button
              variant="gold"
              size="sm"
              aria-haspopup="dialog"
              onClick={() => setGuideMethod(method)}
              className={`shrink-0 ${ACTION_CLASS}`}
            >
              {method === 'inApp' ? t('card.browser') : t('card.how')}
            </Button>
          )}
          <IconButton label={t('card.later')} onClick={recordRefusal}>
            <CloseIcon className="size-5" />
          </IconButton>
        </section>
      )}
      {guideMethod && <InstallGuide method={guideMethod} onClose={() => setGuideMethod(undefined)} />}
    </>
  );
}
