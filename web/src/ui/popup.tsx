import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './core/button.tsx';
import { CheckIcon, InfoIcon, WarningIcon } from './core/icons.tsx';
import { Modal } from './modal.tsx';

export type PopupTone = 'success' | 'danger' | 'info';

export type PopupProps = {
  open: boolean;
  tone: PopupTone;
  title: string;
  /** What happened, and where the money is. */
  message: ReactNode;
  /** Below the message, in the full width. */
  extra?: ReactNode;
  onClose: () => void;
  /**
   * Makes the popup a confirmation. `label` is its button; `leave` replaces "cancel" as the label of `onClose`. Not
   * closable while busy. `isEven`: leaving is as prominent as confirming.
   */
  confirm?: {
    label: string;
    onConfirm: () => void;
    busy?: string | false;
    danger?: boolean;
    movesMoney?: boolean;
    leave?: string;
    isEven?: boolean;
  };
};

const toneStyles = {
  success: { box: 'bg-jade-deep text-jade ring-jade/50', Icon: CheckIcon },
  danger: { box: 'bg-coral-deep text-coral ring-coral/50', Icon: WarningIcon },
  info: { box: 'bg-raised text-gold ring-gold/50', Icon: InfoIcon },
};

/** A message or confirmation above all other layers. */
export function Popup({ open, tone, title, message, extra, onClose, confirm }: PopupProps) {
  const { t } = useTranslation('common');
  const { box, Icon } = toneStyles[tone];
  // Not closable while a request is in flight: the member would miss the result.
  const isBusy = Boolean(confirm?.busy);
  const actions = confirm ? (
    <>
      <Button
        variant={confirm.danger ? 'danger' : confirm.movesMoney ? 'primary' : 'gold'}
        busy={confirm.busy}
        onClick={confirm.onConfirm}
      >
        {confirm.label}
      </Button>
      <Button variant={confirm.isEven ? 'gold' : 'quiet'} disabled={isBusy} onClick={onClose}>
        {confirm.leave ?? t('cancel')}
      </Button>
    </>
  ) : (
    <Button onClick={onClose} data-autofocus>
      {t('ok')}
    </Button>
  );
  return (
    <Modal open={open} onClose={isBusy ? undefined : onClose} title={title} footer={actions}>
      <div className="flex items-start gap-4 py-2">
        <span className={`flex size-12 shrink-0 items-center justify-center rounded-full ring-1 ${box}`}>
          <Icon />
        </span>
        <div className="min-w-0 grow self-center whitespace-pre-line">{message}</div>
      </div>
      {extra}
    </Modal>
  );
}

/** A first paragraph, followed by explanations in smaller text. */
export function Paragraphs({ texts: [firstText, ...otherTexts] }: { texts: readonly string[] }) {
  return (
    <>
      <p>{firstText}</p>
      {otherTexts.map((text) => (
        <p key={text} className="mt-2 text-sm text-muted">
          {text}
        </p>
      ))}
    </>
  );
}
