import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';

export type StepButtonsProps = {
  label: string;
  busy: string | false;
  /** Nothing is left to do here: the page is about to change. */
  done?: boolean;
  onBack: () => void;
};

/** On to what comes next, or back to the step before; not back while something is under way. */
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
