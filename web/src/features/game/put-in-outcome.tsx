import { useTranslation } from 'react-i18next';
import { refusalText, undecidedWords } from '../../shared/errors/refusal-text.ts';
import type { TransferInput, TransferProgress } from '../../shared/transfer/use-transfer.ts';
import { Paragraphs } from '../../ui/text/paragraphs.tsx';
import { Popup } from '../../ui/overlay/popup.tsx';

export type PutInOutcomeProps = {
  state: TransferProgress;
  onClose: () => void;
  /** Sends the same again; what had arrived unheard isn't moved twice. */
  onRetry: (input: TransferInput) => void;
};

/** Says that money did not reach the game, or that this is unknown. */
export function PutInOutcome({ state, onClose, onRetry }: PutInOutcomeProps) {
  const { t } = useTranslation('transfer');
  if (state.step === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('failureTitle')}
        message={refusalText(state.failure, 'transfer')}
        onClose={onClose}
      />
    );
  if (state.step === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={<Paragraphs of={undecidedWords(state.failure, 'transfer')} />}
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: () => onRetry(state.input) }}
      />
    );
  return null;
}
