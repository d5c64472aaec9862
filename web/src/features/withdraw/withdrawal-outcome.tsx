import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../api/errors.ts';
import { detailText, undecidedText, withDetail } from '../../shared/refusal-text.ts';
import { type Money, useMoney } from '../../member/money.ts';
import { Paragraphs } from '../../ui/paragraphs.tsx';
import { Popup } from '../../ui/popup.tsx';
import { type BankAccount, bankWords } from './withdrawal-pending.tsx';
import { type Limits, OpenConditions, useConditions } from './withdraw-form.tsx';
import type { Withdraw, Requested } from './use-withdraw.ts';
import { type EndedWithdrawal, withdrawReasonText } from '../../member/withdrawal.ts';
import type { GameAccount } from '../../member/wallet.ts';

export type WithdrawOutcomeProps = {
  state: Extract<Withdraw['state'], { status: 'done' | 'failed' | 'undecided' }>;
  account: BankAccount | null;
  limits: Limits | undefined;
  games: SweepFailuresProps['games'];
  onClose: () => void;
  /** Repeats the same command. */
  onRetry: () => void;
};

/** Reply to a request: the money is held and pending, or nothing was taken, or the outcome is unknown. */
export function WithdrawOutcome({ state, account, limits, games, onClose, onRetry }: WithdrawOutcomeProps) {
  const { t } = useTranslation('withdraw');
  const money = useMoney();
  const refusal = useRefusalText(money, limits);
  if (state.status === 'undecided')
    return (
      <Popup
        open
        tone="info"
        title={t('unknownTitle')}
        message={<Paragraphs of={undecidedText(state.failure, 'withdraw')} />}
        onClose={onClose}
        confirm={{ label: t('tryAgain'), onConfirm: onRetry }}
      />
    );
  if (state.status === 'failed')
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
          <p>{t('success', { amount: money.text(state.reply.amount), ...bankWords(account) })}</p>
          <SweepFailures games={games} list={state.reply.notBrought} />
        </>
      }
    />
  );
}

/** Remaining conditions after the refusal. */
function HeldBack() {
  return <OpenConditions conditions={useConditions().conditions} />;
}

type HeldBackCode = 'BONUS_CONDITION' | 'REFUND_CONDITION';
const isHeldBack = (failure: unknown): failure is ApiFailure & { message: HeldBackCode } =>
  failure instanceof ApiFailure && (failure.message === 'BONUS_CONDITION' || failure.message === 'REFUND_CONDITION');

/** Text of a refusal: the translation of its code, with an explanation. */
function useRefusalText(money: Money, limits: Limits | undefined) {
  const { t } = useTranslation('withdraw');
  return (failure: unknown): string => {
    const detail = failure instanceof ApiFailure ? failure.detail : undefined;
    if (detail === 'WITHDRAW_MINIMUM' && limits)
      return withDetail(failure, t('minimumAmount', { amount: money.text(limits.withdrawMin) }));
    if (detail === 'WITHDRAW_MAXIMUM' && limits)
      return withDetail(failure, t('maximumAmount', { amount: money.text(limits.withdrawMax) }));
    // The code says that the money is back in the wallet; money of the games is still there.
    if (detail === 'GAMES_NOT_BROUGHT') return t('refused.GAMES_NOT_BROUGHT');
    return withDetail(
      failure,
      detailText(failure, 'withdraw') ?? (isHeldBack(failure) ? t(`refused.${failure.message}`) : undefined),
    );
  };
}

export type WithdrawalResultProps = {
  end: EndedWithdrawal;
  account: BankAccount | null;
  games: SweepFailuresProps['games'];
  notBrought: SweepFailuresProps['list'];
  onClose: () => void;
};

/** Outcome of a withdrawal: paid, or refunded to the wallet with the reason. */
export function WithdrawalResult({ end, account, games, notBrought, onClose }: WithdrawalResultProps) {
  const { t } = useTranslation('withdraw');
  const amount = useMoney().text(end.amount);
  return (
    <Popup
      open
      tone={end.isPaid ? 'success' : 'danger'}
      title={t(end.isPaid ? 'paidTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          {end.isPaid ? (
            <p>{t('paid', { amount, ...bankWords(account) })}</p>
          ) : (
            <>
              <p className="first-letter:uppercase">{withdrawReasonText(end.reason)}</p>
              <p className="mt-2 text-sm text-muted">{t('cameBack', { amount })}</p>
            </>
          )}
          <SweepFailures games={games} list={notBrought} />
        </>
      }
    />
  );
}

const KNOWN_REASONS: Readonly<
  Record<string, 'PROCESSING' | 'TRANSFER_IN_PROGRESS' | 'OPEN_BETS' | 'MAINTENANCE' | undefined>
> = {
  PROCESSING: 'PROCESSING',
  TRANSFER_IN_PROGRESS: 'TRANSFER_IN_PROGRESS',
  OPEN_BETS: 'OPEN_BETS',
  // Set by the provider, or by the operator for a game.
  PROVIDER_MAINTENANCE: 'MAINTENANCE',
  MAINTENANCE: 'MAINTENANCE',
};

export type SweepFailuresProps = {
  /** For the names of games. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  list: Requested['notBrought'];
};

/** Games whose money was not swept, with reasons. */
export function SweepFailures({ games, list }: SweepFailuresProps) {
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
