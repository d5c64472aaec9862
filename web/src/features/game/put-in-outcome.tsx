import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/failure.ts';
import type { TransferState } from '../../api/use-transfer.ts';
import { Popup } from '../../ui/popup.tsx';

export type PutInOutcomeProps = {
  state: TransferState;
  onClose: () => void;
  /** Sends the same amount again; one that had arrived unheard isn't moved twice. */
  onRetry: (amount: number) => void;
};

/** Tells when money did not get into the game, or when nobody knows. */
export function PutInOutcome({ state, onClose, onRetry }: PutInOutcomeProps) {
  const { t } = useTranslation(['game', 'transfer']);
  if (state.step === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('transfer:failureTitle')}
        message={failureText(state.failure)}
        onClose={onClose}
      />
    );
  if (state.step === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('transfer:unknownTitle')}
        message={t('transfer:unknown')}
        onClose={onClose}
        confirm={{ label: t('transfer:tryAgain'), onConfirm: () => onRetry(state.input.amount) }}
      />
    );
  return null;
}
