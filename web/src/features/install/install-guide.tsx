import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ShareIcon } from '../../ui/core/icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { InstallMethod } from './install-state.ts';

export type InstallGuideProps = { method: InstallMethod; onClose: () => void };

/** How to install the app where the browser has no dialog for it. */
export function InstallGuide({ method, onClose }: InstallGuideProps) {
  const { t } = useTranslation('install');
  return (
    <Modal open title={t('card.title')} onClose={onClose}>
      {method === 'inApp' && <p className="mb-4 text-muted">{t('inApp.why')}</p>}
      <ol className="flex flex-col gap-4">
        {method === 'ios' ? (
          <>
            <GuideStep position={1}>
              {t('ios.share')} <ShareIcon className="inline size-6 align-text-bottom text-gold" />
            </GuideStep>
            <GuideStep position={2}>{t('ios.add')}</GuideStep>
            <GuideStep position={3}>{t('ios.login')}</GuideStep>
          </>
        ) : method === 'inApp' ? (
          <>
            <GuideStep position={1}>{t('inApp.open')}</GuideStep>
            <GuideStep position={2}>{t('inApp.again')}</GuideStep>
          </>
        ) : (
          <>
            <GuideStep position={1}>{t('menu.open')}</GuideStep>
            <GuideStep position={2}>{t('menu.add')}</GuideStep>
          </>
        )}
      </ol>
    </Modal>
  );
}

function GuideStep({ position, children }: { position: number; children: ReactNode }) {
  return (
    <li className="flex items-center gap-4">
      <span
        aria-hidden="true"
        className="grid size-8 shrink-0 place-items-center rounded-full bg-raised font-bold text-gold-lit"
      >
        {position}
      </span>
      <span className="min-w-0">{children}</span>
    </li>
  );
}
