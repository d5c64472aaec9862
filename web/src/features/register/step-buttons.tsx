import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/core/button.tsx';

export type StepButtonsProps = {
  label: string;
  busyText: string | false;
  /** Disables the buttons while the next page opens. */
  isDone?: boolean;
  onBack: () => void;
};

/** Next and back buttons; the back button is disabled while a request is in flight. */
export function StepButtons({ label, busyText, isDone = false, onBack }: StepButtonsProps) {
  const { t } = useTranslation('common');
  return (
    <>
      <Button
        type={isDone ? 'button' : 'submit'}
        wide
        busy={busyText}
        aria-disabled={isDone || undefined}
        className="aria-disabled:cursor-default aria-disabled:opacity-45"
      >
        {label}
      </Button>
      <Button variant="plain" disabled={busyText !== false || isDone} onClick={onBack}>
        {t('back')}
      </Button>
    </>
  );
}
