import { useTranslation } from 'react-i18next';
import { GamesSection, ImagesSection } from './art-section.tsx';
import { ControlsSection, FieldsSection } from './form-section.tsx';
import { OverlaysSection, StatesSection } from './overlay-section.tsx';

/** Shows every component of `ui` in every state; development only. */
export function DesignPage() {
  const { t } = useTranslation('common');
  return (
    <div className="space-y-8 py-6">
      <h1 className="text-2xl font-bold">{t('title.design')}</h1>
      <ControlsSection />
      <FieldsSection />
      <StatesSection />
      <OverlaysSection />
      <GamesSection />
      <ImagesSection />
    </div>
  );
}
