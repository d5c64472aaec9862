import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../api/failure.ts';
import { detailText, undecidedWords, withDetail } from '../../shared/errors/refusal-text.ts';
import { type Money, useMoney } from '../../shared/wallet/use-money.ts';
import { Paragraphs } from '../../ui/text/paragraphs.tsx';
import { Popup } from '../../ui/overlay/popup.tsx';
import { type BankAccount, bankWords } from './destination.tsx';
import type { Limits } from './fault.ts';
import { NotBrought, type NotBroughtProps } from './not-brought.tsx';
import { OpenConditions } from './open-conditions.tsx';
import { useConditions } from './use-conditions.ts';
import type { WithdrawStep } from './use-withdraw.ts';

export type WithdrawOutcomeProps = {
  state: Extract<WithdrawStep, { step: 'requested' | 'failed' | 'undecided' }>;
  account: BankAccount | null;
  limits: Limits | undefined;
  games: NotBroughtProps['games'];
  onClose: () => void;
  /** Sends the very same command again. */
  onRetry: () => void;
};

/** The reply: the money is held and in transit, or nothing was taken, or the outcome is unknown. */
export function WithdrawOutcome({ state, account, limits, games, onClose, onRetry }: WithdrawOutcomeProps) {
  const { t } = useTranslation('withdraw');
  const money = useMoney();
  const refusal = useRefusalText(money, limits);
  if (state.step === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={<Paragraphs of={undecidedWords(state.failure, 'withdraw')} />}
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: onRetry }}
      />
    );
  if (state.step === 'failed')
    return (
      <Popup
        open
        tone="danger"
        title={t('failureTitle')}
        onClose={onClose}
        message={
          <>
            <p>{refusal(state.failure)}</p>
            <p className="mt-2 text-sm text-muted">{t('failureMoney')}</p>
            {isHeldBack(state.failure) && <HeldBack />}
          </>
        }
      />
    );
  return (
    <Popup
      open
      tone="success"
      title={t('successTitle')}
      onClose={onClose}
      message={
        <>
          <p>{t('success', { amount: money.text(state.answer.amount), ...bankWords(account) })}</p>
          <NotBrought games={games} list={state.answer.notBrought} />
        </>
      }
    />
  );
}

/** What is still to be met, as it stands after the refusal. */
function HeldBack() {
  return <OpenConditions conditions={useConditions().conditions} />;
}

type HeldBackCode = 'BONUS_CONDITION' | 'REFUND_CONDITION';
const isHeldBack = (failure: unknown): failure is ApiFailure & { message: HeldBackCode } =>
  failure instanceof ApiFailure && (failure.message === 'BONUS_CONDITION' || failure.message === 'REFUND_CONDITION');

/** The words for a refusal: the translation of its code, and what explains it. */
function useRefusalText(money: Money, limits: Limits | undefined) {
  const { t } = useTranslation('withdraw');
  return (failure: unknown): string => {
    const detail = failure instanceof ApiFailure ? failure.detail : undefined;
    if (detail === 'WITHDRAW_MINIMUM' && limits)
      return withDetail(failure, t('minimumAmount', { amount: money.text(limits.withdrawMin) }));
    if (detail === 'WITHDRAW_MAXIMUM' && limits)
      return withDetail(failure, t('maximumAmount', { amount: money.text(limits.withdrawMax) }));
    // Its code says that the funds are back in the wallet; those of the games are still there.
    if (detail === 'GAMES_NOT_BROUGHT') return t('refused.GAMES_NOT_BROUGHT');
    return withDetail(
      failure,
      detailText(failure, 'withdraw') ?? (isHeldBack(failure) ? t(`refused.${failure.message}`) : undefined),
    );
  };
}
