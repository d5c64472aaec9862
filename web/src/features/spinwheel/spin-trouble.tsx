import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../api/failure.ts';
import { Popup } from '../../ui/overlay/popup.tsx';
import { spinErrorText, type SpinStep } from './use-spin.ts';

export type SpinTroubleProps = {
  state: Extract<SpinStep, { step: 'failed' | 'undecided' }>;
  onClose: () => void;
  /** Asks for the very same spin again. */
  onAgain: () => void;
};

/** A spin that was refused, or whose outcome is unknown. */
export function SpinTrouble({ state, onClose, onAgain }: SpinTroubleProps) {
  const { t } = useTranslation(['spinwheel', 'common']);
  const isUndecided = state.step === 'undecided';
  const isSilence = state.failure instanceof ApiFailure && state.failure.isUnknown;
  return (
    <Popup
      open
      tone={isUndecided ? 'info' : 'danger'}
      title={t(isUndecided ? 'unknownTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          <p>{isSilence ? t('unknown') : spinErrorText(state.failure)}</p>
          <p className="mt-2 text-sm text-muted">{t(isUndecided ? 'unknownCoin' : 'failureCoin')}</p>
        </>
      }
      {...(isUndecided && { confirm: { label: t('askAgain'), onConfirm: onAgain, leave: t('common:close') } })}
    />
  );
}
