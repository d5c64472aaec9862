import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';

export type StepButtonsProps = {
  label: string;
  busy: string | false;
  /** Disabled because the page is about to change. */
  done?: boolean;
  onBack: () => void;
};

/** Next and back buttons; back is disabled while a request is in flight. */
export function StepButtons({ label, busy, done = false, onBack }: StepButtonsProps) {
  const { t } = useTranslation('common');
  return (
    <>
      <Button
        type={done ? 'button' : 'submit'}
        wide
        busy={busy}
        aria-disabled={done || undefined}
        className="aria-disabled:cursor-default aria-disabled:opacity-45"
      >
        {label}
      </Button>
      <Button variant="plain" disabled={busy !== false || done} onClick={onBack}>
        {t('back')}
      </Button>
    </>
  );
}
