import { useTranslation } from 'react-i18next';
import { ApiFailure, failureText } from '../../api/failure.ts';
import { type Money, useMoney } from '../../api/use-money.ts';
import type { GameAccount } from '../../api/wallet.ts';
import { formatAccountNumber } from '../../format/account-number.ts';
import { Popup } from '../../ui/popup.tsx';
import { type BankAccount, bankName } from './destination.tsx';
import type { Limits } from './fault.ts';
import type { Requested, WithdrawStep } from './use-withdraw.ts';

export type WithdrawOutcomeProps = {
  state: Extract<WithdrawStep, { step: 'requested' | 'failed' | 'undecided' }>;
  account: BankAccount | null;
  limits: Limits | undefined;
  /** For the names of games. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  onClose: () => void;
  /** Sends the very same command again. */
  onRetry: () => void;
};

/** What was answered: the money is set aside and on its way, or nothing was taken, or nobody knows. */
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
        message={t('unknown')}
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
          </>
        }
      />
    );
  const success = {
    amount: money.words(state.answer.amount),
    bank: account ? bankName(account) : '',
    account: account ? formatAccountNumber(account.bankAccountNo) : '',
  };
  return (
    <Popup
      open
      tone="success"
      title={t('successTitle')}
      onClose={onClose}
      message={
        <>
          <p>{t('success', success)}</p>
          <NotBrought games={games} list={state.answer.notBrought} />
        </>
      }
    />
  );
}

/** The words for a refusal; more precise than those of its code where the server told more. */
function useRefusalText(money: Money, limits: Limits | undefined) {
  const { t } = useTranslation('withdraw');
  return (failure: unknown): string => {
    const detail = failure instanceof ApiFailure ? failure.detail : undefined;
    if (detail === 'WITHDRAW_MINIMUM' && limits) return t('minimumAmount', { amount: money.limit(limits.withdrawMin) });
    if (detail === 'WITHDRAW_MAXIMUM' && limits) return t('maximumAmount', { amount: money.limit(limits.withdrawMax) });
    if (detail === 'WITHDRAW_IN_PROGRESS' || detail === 'TRANSFER_IN_PROGRESS' || detail === 'GAMES_NOT_BROUGHT')
      return t(`refused.${detail}`);
    return failureText(failure);
  };
}

const KNOWN_REASONS: Readonly<
  Record<string, 'PROCESSING' | 'TRANSFER_IN_PROGRESS' | 'OPEN_BETS' | 'MAINTENANCE' | undefined>
> = {
  PROCESSING: 'PROCESSING',
  TRANSFER_IN_PROGRESS: 'TRANSFER_IN_PROGRESS',
  OPEN_BETS: 'OPEN_BETS',
  // Of the provider, as it says itself; or of the game, as the operator has set.
  PROVIDER_MAINTENANCE: 'MAINTENANCE',
  MAINTENANCE: 'MAINTENANCE',
};

/** Games whose money is still there, and why. */
function NotBrought({ games, list }: { games: WithdrawOutcomeProps['games']; list: Requested['notBrought'] }) {
  const { t } = useTranslation('withdraw');
  if (list.length === 0) return null;
  const reasonOf = (reason: string): string => t(`notBroughtReason.${KNOWN_REASONS[reason] ?? 'other'}`);
  return (
    <div className="mt-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('notBrought')}</p>
      <ul>
        {list.map(({ slotCode, reason }) => (
          <li key={slotCode} className="flex flex-wrap justify-between gap-x-3">
            <span className="font-semibold">{games.find(({ code }) => code === slotCode)?.name ?? slotCode}</span>
            <span>{reasonOf(reason)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
