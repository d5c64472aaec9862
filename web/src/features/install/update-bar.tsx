import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { applyUpdate } from './update.ts';

/** A bar covers the middle of the top bar, and nothing of the page. */
export const BAR_CLASS =
  'fixed inset-x-2 top-[max(0.5rem,env(safe-area-inset-top))] z-30 mx-auto animate-rise rounded-md bg-raised text-ivory shadow-high ring-1 ring-gold/60';

/** Offers a new build. */
export function UpdateBar({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['install', 'common']);
  const [isUpdating, setUpdating] = useState(false);
  const update = (): void => {
    setUpdating(true);
    void applyUpdate();
  };
  return (
    <section
      aria-label={t('update.title')}
      className={`${BAR_CLASS} flex min-h-12 max-w-md items-center gap-2 py-0.5 pr-0.5 pl-4 text-sm`}
    >
      <p role="status" className="min-w-0 grow leading-tight font-medium">
        {t('update.title')}
      </p>
      <Button variant="gold" size="sm" busy={isUpdating && t('update.busy')} onClick={update} className="shrink-0">
        {t('update.action')}
      </Button>
      <IconButton label={t('common:close')} onClick={onClose}>
        <CloseIcon className="size-5" />
      </IconButton>
    </section>
  );
}
