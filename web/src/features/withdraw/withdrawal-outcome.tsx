import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../api/errors.ts';
import { type CurrencyFormat, useCurrency } from '../../member/use-currency.ts';
import { type GameAccount, useWallet } from '../../member/wallet.ts';
import { type EndedWithdrawal, withdrawReasonText } from '../../member/withdrawal.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { openMoney } from '../../shared/open-money.ts';
import { PushQuestion } from '../../shared/push-question.tsx';
import { detailText, withDetail } from '../../shared/refusal-text.ts';
import { TimeAndFee } from '../../shared/time-and-fee.tsx';
import { UndecidedPopup } from '../../shared/undecided-popup.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Popup } from '../../ui/popup.tsx';
import type { Withdraw, WithdrawalReply } from './use-withdraw.ts';
import { type Limits, OpenConditions, useConditions } from './withdraw-form.tsx';
import { type BankAccount, bankTextValues, ReferenceRow, useUsualPayout } from './withdrawal-pending.tsx';

export type WithdrawOutcomeProps = {
  state: Extract<Withdraw['state'], { status: 'done' | 'failed' | 'undecided' }>;
  account: BankAccount | null;
  limits: Limits | undefined;
  games: SweepFailuresProps['games'];
  onClose: () => void;
  /** Repeats the same command. */
  onRetry: () => void;
};

/**
 * Reply to a withdrawal request: the money is held and the withdrawal is pending, nothing was taken, or the outcome is
 * unknown.
 */
export function WithdrawOutcome({ state, account, limits, games, onClose, onRetry }: WithdrawOutcomeProps) {
  const { t } = useTranslation('withdraw');
  const money = useCurrency();
  const refusalTextOf = useRefusalText(money, limits);
  const pendingReference = useWallet().data?.withdrawal?.reference;
  const usual = useUsualPayout();
  if (state.status === 'undecided')
    return (
      <UndecidedPopup
        kind="withdraw"
        failure={state.failure}
        reference={pendingReference}
        onClose={onClose}
        onRetry={onRetry}
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
            <p>{refusalTextOf(state.failure)}</p>
            <p className="mt-2 text-sm text-muted">{t('failureMoney')}</p>
            {isBlockedByCondition(state.failure) && <BlockingConditions />}
            <AskSupport kind="withdraw" failure={state.failure} />
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
          <p>{t('success', { amount: money.format(state.reply.amount), ...bankTextValues(account) })}</p>
          <TimeAndFee usual={usual} className="mt-2 text-muted" />
          <SweepFailures games={games} list={state.reply.notBrought} />
        </>
      }
      extra={
        <div className="grid gap-3">
          <ReferenceList reference={state.reply.reference} />
          <DetailsButton reference={state.reply.reference} onClose={onClose} />
          <AskSupport kind="withdraw" reference={state.reply.reference} className="mt-0! justify-self-center" />
          <PushQuestion about="withdraw" />
        </div>
      }
    />
  );
}

function ReferenceList({ reference }: { reference: string }) {
  return (
    <dl className="mt-1 text-sm">
      <ReferenceRow reference={reference} />
    </dl>
  );
}

/** Opens the timeline, which has the reference and the receipt, in place of the dialog. */
function DetailsButton({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t } = useTranslation('withdraw');
  const openDetails = (): void => {
    onClose();
    void openMoney(reference);
  };
  return (
    <Button variant="quiet" wide onClick={openDetails}>
      {t('details')}
    </Button>
  );
}

/** Conditions that still block the withdrawal after a refusal. */
function BlockingConditions() {
  return <OpenConditions conditions={useConditions().conditions} />;
}

type BlockedCode = 'BONUS_CONDITION' | 'REFUND_CONDITION';
const isBlockedByCondition = (failure: unknown): failure is ApiFailure & { message: BlockedCode } =>
  failure instanceof ApiFailure && (failure.message === 'BONUS_CONDITION' || failure.message === 'REFUND_CONDITION');

/** Returns a function for the text of a refusal: the translated code, and an explanation. */
function useRefusalText(money: CurrencyFormat, limits: Limits | undefined) {
  const { t } = useTranslation('withdraw');
  return (failure: unknown): string => {
    const detail = failure instanceof ApiFailure ? failure.detail : undefined;
    if (detail === 'WITHDRAW_MINIMUM' && limits)
      return withDetail(failure, t('minimumAmount', { amount: money.format(limits.withdrawMin) }));
    if (detail === 'WITHDRAW_MAXIMUM' && limits)
      return withDetail(failure, t('maximumAmount', { amount: money.format(limits.withdrawMax) }));
    // The text of the code states that the money is back in the wallet, but money of the games is still in the games.
    if (detail === 'GAMES_NOT_BROUGHT') return t('refused.GAMES_NOT_BROUGHT');
    return withDetail(
      failure,
      detailText(failure, 'withdraw') ?? (isBlockedByCondition(failure) ? t(`refused.${failure.message}`) : undefined),
    );
  };
}

export type WithdrawalResultProps = {
  withdrawal: EndedWithdrawal;
  account: BankAccount | null;
  games: SweepFailuresProps['games'];
  sweepFailures: SweepFailuresProps['list'];
  onClose: () => void;
};

/** Outcome of a withdrawal: paid out, or refunded to the wallet with the reason. */
export function WithdrawalResult({ withdrawal, account, games, sweepFailures, onClose }: WithdrawalResultProps) {
  const { t } = useTranslation('withdraw');
  const amount = useCurrency().format(withdrawal.amount);
  return (
    <Popup
      open
      tone={withdrawal.isPaid ? 'success' : 'danger'}
      title={t(withdrawal.isPaid ? 'paidTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          {withdrawal.isPaid ? (
            <p>{t('paid', { amount, ...bankTextValues(account) })}</p>
          ) : (
            <>
              <p className="first-letter:uppercase">{withdrawReasonText(withdrawal.reason)}</p>
              <p className="mt-2 text-sm text-muted">{t('cameBack', { amount })}</p>
            </>
          )}
          <SweepFailures games={games} list={sweepFailures} />
          {!withdrawal.isPaid && <AskSupport kind="withdraw" reference={withdrawal.reference} />}
        </>
      }
      extra={
        <div className="grid gap-3">
          <ReferenceList reference={withdrawal.reference} />
          {withdrawal.isPaid && <DetailsButton reference={withdrawal.reference} onClose={onClose} />}
        </div>
      }
    />
  );
}

const REASON_TEXT_KEYS: Readonly<
  Record<string, 'PROCESSING' | 'TRANSFER_IN_PROGRESS' | 'OPEN_BETS' | 'MAINTENANCE' | undefined>
> = {
  PROCESSING: 'PROCESSING',
  TRANSFER_IN_PROGRESS: 'TRANSFER_IN_PROGRESS',
  OPEN_BETS: 'OPEN_BETS',
  // Reason of the provider, or of the operator for one game.
  PROVIDER_MAINTENANCE: 'MAINTENANCE',
  MAINTENANCE: 'MAINTENANCE',
};

export type SweepFailuresProps = {
  /** Games of the member, used to show their names. */
  games: readonly Pick<GameAccount, 'code' | 'name'>[];
  list: WithdrawalReply['notBrought'];
};

/** Lists games whose money was not moved to the wallet, with reasons. */
export function SweepFailures({ games, list }: SweepFailuresProps) {
  const { t } = useTranslation('withdraw');
  if (list.length === 0) return null;
  const reasonTextOf = (reason: string): string => t(`notBroughtReason.${REASON_TEXT_KEYS[reason] ?? 'other'}`);
  return (
    <div className="mt-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('notBrought')}</p>
      <ul>
        {list.map(({ slotCode, reason }) => (
          <li key={slotCode} className="flex flex-wrap justify-between gap-x-3">
            <span className="font-semibold">{games.find(({ code }) => code === slotCode)?.name ?? slotCode}</span>
            <span>{reasonTextOf(reason)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
