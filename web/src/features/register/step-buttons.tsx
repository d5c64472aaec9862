import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';

export type StepButtonsProps = { label: string; busy: string | false; onBack: () => void };

/** On to what comes next, or back to the step before; not back while something is under way. */
export function StepButtons({ label, busy, onBack }: StepButtonsProps) {
  const { t } = useTranslation('common');
  return (
    <>
      <Button type="submit" wide busy={busy}>
        {label}
      </Button>
      <Button variant="plain" disabled={busy !== false} onClick={onBack}>
        {t('back')}
      </Button>
    </>
  );
}
