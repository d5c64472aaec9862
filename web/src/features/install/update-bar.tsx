import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';
import { applyUpdate } from './update.ts';

/** Offers a new build, above the bottom menu and beside the chat button. */
export function UpdateBar() {
  const { t } = useTranslation('install');
  const [isUpdating, setUpdating] = useState(false);
  const update = (): void => {
    setUpdating(true);
    void applyUpdate();
  };
  return (
    <section
      aria-label={t('update.title')}
      className="fixed right-20 bottom-[calc(6.375rem+var(--strip,0px)+env(safe-area-inset-bottom))] left-2 z-20 mx-auto flex min-h-12 max-w-md animate-rise items-center gap-3 rounded-md bg-raised py-0.5 pr-0.5 pl-4 text-sm text-ivory shadow-high ring-1 ring-gold/60 lg:right-28 lg:bottom-[calc(1.5rem+var(--strip,0px))] lg:left-68"
    >
      <p role="status" className="min-w-0 grow leading-tight font-medium">
        {t('update.title')}
      </p>
      <Button variant="gold" size="sm" busy={isUpdating && t('update.busy')} onClick={update} className="shrink-0">
        {t('update.action')}
      </Button>
    </section>
  );
}
