import { useTranslation } from 'react-i18next';
import { transferRefusalText } from '../../api/transfer-refusal.ts';
import type { TransferInput, TransferState } from '../../api/use-transfer.ts';
import { Popup } from '../../ui/popup.tsx';

export type PutInOutcomeProps = {
  state: TransferState;
  onClose: () => void;
  /** Sends the same again; what had arrived unheard isn't moved twice. */
  onRetry: (input: TransferInput) => void;
};

/** Tells when money did not get into the game, or when nobody knows. */
export function PutInOutcome({ state, onClose, onRetry }: PutInOutcomeProps) {
  const { t } = useTranslation('transfer');
  if (state.step === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('failureTitle')}
        message={transferRefusalText(state.failure)}
        onClose={onClose}
      />
    );
  if (state.step === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={t('unknown')}
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: () => onRetry(state.input) }}
      />
    );
  return null;
}
