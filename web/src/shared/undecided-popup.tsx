import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { excludeSentAmounts } from '../routing/saved-inputs.ts';
import { Paragraphs, Popup } from '../ui/popup.tsx';
import { AskSupport } from './ask-support.tsx';
import { undecidedText } from './refusal-text.ts';

export type UndecidedPopupProps = {
  kind: 'transfer' | 'withdraw';
  failure: unknown;
  /** Key of the pending movement, if it is known. */
  reference: string | undefined;
  onClose: () => void;
  /** Repeats the same command; the money is moved at most once. */
  onRetry?: (() => void) | undefined;
};

/** Explains that the outcome of a movement of money is unknown. Its texts are those of the dialog, which has loaded them. */
export function UndecidedPopup({ kind, failure, reference, onClose, onRetry }: UndecidedPopupProps) {
  const { t } = useTranslation(kind);
  useEffect(excludeSentAmounts, []);
  return (
    <Popup
      open
      tone="info"
      title={t('unknownTitle')}
      message={
        <>
          <Paragraphs texts={undecidedText(failure, kind)} />
          <AskSupport kind={kind} reference={reference} failure={failure} />
        </>
      }
      onClose={onClose}
      {...(onRetry && { confirm: { label: t('tryAgain'), onConfirm: onRetry } })}
    />
  );
}
