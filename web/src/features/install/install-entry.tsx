import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { PhoneIcon } from '../../ui/core/icons.tsx';
import { InstallGuide } from './install-guide.tsx';
import { install } from './install-method.ts';
import { installMethod, onInstallChange } from './install-state.ts';

/** Permanent entry of the profile that installs the app or shows how. */
export function InstallEntry() {
  const { t } = useTranslation('install');
  const method = useSyncExternalStore(onInstallChange, installMethod);
  const [isGuideOpen, setGuideOpen] = useState(false);
  return (
    <div className="mx-auto mt-4 w-full max-w-2xl">
      <Card title={t('entry')}>
        {method === 'installed' ? (
          <p className="py-2 text-muted">{t('installed')}</p>
        ) : (
          <div className="flex flex-wrap items-center justify-between gap-3 py-2">
            <p className="min-w-0 text-sm text-muted">{t('card.text')}</p>
            <Button
              variant="quiet"
              size="sm"
              icon={<PhoneIcon className="size-5" />}
              onClick={method === 'prompt' ? () => void install() : () => setGuideOpen(true)}
            >
              {method === 'prompt' ? t('card.install') : t('card.how')}
            </Button>
          </div>
        )}
      </Card>
      {isGuideOpen && <InstallGuide method={method} onClose={() => setGuideOpen(false)} />}
    </div>
  );
}
