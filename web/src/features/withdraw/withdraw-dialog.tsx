import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { useWallet, type Wallet } from '../../member/wallet.ts';
import { useSheetAddress } from '../../shared/ask-support.tsx';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { useWithdrawalOutcome, useWithdraw, type Withdraw } from './use-withdraw.ts';
import {
  withdrawableBalance,
  type Limits,
  useConditions,
  validateWithdrawal,
  WithdrawForm,
  type WithdrawFormProps,
} from './withdraw-form.tsx';
import { WithdrawalResult, WithdrawOutcome } from './withdrawal-outcome.tsx';
import { WithdrawalPending, type WithdrawalPendingProps } from './withdrawal-pending.tsx';
import { isSameSplit, type Reviewed, WithdrawalReview } from './withdrawal-review.tsx';

export type WithdrawDialogProps = {
  /** `hasSaved` is true if a withdrawal was requested. */
  onClose: (hasSaved: boolean) => void;
};

/** Polling interval in ms of a visible pending withdrawal. */
const WALLET_POLL_MS = 5_000;

/** Withdraws to the registered bank account; shows a pending withdrawal and its result. */
export function WithdrawDialog({ onClose }: WithdrawDialogProps) {
  useSheetAddress('/user/home#withdraw');
  const wallet = useWallet().data;
  const withdraw = useWithdraw();
  const { state } = withdraw;
  // While the result of a request is shown, the form stays visible behind it.
  const pendingWithdrawal = state.status === 'idle' ? wallet?.withdrawal : undefined;
  const endedWithdrawal = useWithdrawalOutcome(
    state.status === 'done' ? state.reply.reference : pendingWithdrawal?.reference,
  );
  if (!endedWithdrawal)
    return <RequestView wallet={wallet} withdraw={withdraw} pendingWithdrawal={pendingWithdrawal} onClose={onClose} />;
  return (
    <WithdrawalResult
      withdrawal={endedWithdrawal}
      account={wallet?.bankAccount ?? null}
      games={wallet?.slots ?? []}
      sweepFailures={state.status === 'done' ? state.reply.notBrought : []}
      onClose={() => onClose(true)}
    />
  );
}

type RequestViewProps = WithdrawDialogProps & {
  wallet: Wallet | undefined;
  withdraw: Withdraw;
  pendingWithdrawal: Wallet['withdrawal'] | undefined;
};

/** View before the outcome: the form, the reply to the request, or the pending withdrawal. */
function RequestView({
  wallet,
  withdraw: { state, send, retry, reset, isBusy },
  pendingWithdrawal,
  onClose,
}: RequestViewProps) {
  const { t } = useTranslation('withdraw');
  const limits = useQuery({ ...apiQuery('GET /api/lookup/withdraw', { quiet: true }), staleTime: 0 });
  const [typedAmount, setTypedAmount] = useState('');
  const [reviewed, setReviewed] = useState<Reviewed>();
  const account = wallet?.bankAccount ?? null;
  const close = (): void => onClose(state.status === 'done');
  /** Back to the form, which keeps the amount. */
  const toForm = (): void => {
    setReviewed(undefined);
    reset();
  };
  const request = {
    typedAmount,
    onType: setTypedAmount,
    reviewed,
    onReview: setReviewed,
    isSending: isBusy,
    onSend: (amount: number) => void send(amount),
  };
  return (
    <>
      {state.status !== 'done' && (
        <Modal
          open
          // Not closable while a request is being sent: the member would miss the result and could not retry the same
          // command.
          onClose={isBusy ? undefined : close}
          title={t(pendingWithdrawal ? 'underWay' : 'title')}
        >
          {pendingWithdrawal ? (
            <PolledWithdrawal withdrawal={pendingWithdrawal} account={account} onClose={close} />
          ) : (
            <LoadedForm limits={limits} request={request} />
          )}
        </Modal>
      )}
      {(state.status === 'done' || state.status === 'failed' || state.status === 'undecided') && (
        <WithdrawOutcome
          state={state}
          account={account}
          limits={limits.data}
          games={wallet?.slots ?? []}
          onClose={state.status === 'done' ? close : toForm}
          onRetry={retry}
        />
      )}
    </>
  );
}

/** Polls while visible, because not every phase of a withdrawal has an event. */
function PolledWithdrawal(props: WithdrawalPendingProps) {
  useQuery({ ...apiQuery('GET /api/wallet', { quiet: true }), refetchInterval: WALLET_POLL_MS });
  return <WithdrawalPending {...props} />;
}

type LoadedFormProps = {
  limits: UseQueryResult<Limits>;
  request: Pick<WithdrawFormProps, 'typedAmount' | 'onType'> & {
    reviewed: Reviewed | undefined;
    onReview: (reviewed: Reviewed | undefined) => void;
    isSending: boolean;
    onSend: (amount: number) => void;
  };
};

/** The form, or the reason why it is unavailable. */
function LoadedForm({ limits, request }: LoadedFormProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const wallet = useWallet();
  if (wallet.isLoading || limits.isLoading) return <FormSkeleton />;
  if (!wallet.data || !limits.data) {
    const retry = (): void => {
      if (!limits.data) void limits.refetch();
      if (!wallet.data) void wallet.refetch();
    };
    const retryButton = (
      <Button variant="quiet" size="sm" onClick={retry}>
        {t('common:retry')}
      </Button>
    );
    return <EmptyState title={t('unavailable')} action={retryButton} />;
  }
  const { bankAccount } = wallet.data;
  if (!bankAccount) return <EmptyState title={t('noBank')} text={t('noBankHint')} />;
  return (
    <FormOrReview
      account={bankAccount}
      limits={limits.data}
      withdrawable={withdrawableBalance(wallet.data)}
      request={request}
    />
  );
}

type FormOrReviewProps = Pick<WithdrawFormProps, 'account' | 'limits' | 'withdrawable'> &
  Pick<LoadedFormProps, 'request'>;

/** The form; then the review, whose amounts stay as they were shown until they are confirmed. */
function FormOrReview({ account, limits, withdrawable: sources, request }: FormOrReviewProps) {
  const { t } = useTranslation('withdraw');
  const { typedAmount, onType, reviewed, onReview, isSending, onSend } = request;
  const isBlocked = useConditions().conditions.length > 0;
  const [hasChanged, setChanged] = useState(false);
  if (!reviewed || (isBlocked && !isSending))
    return (
      <WithdrawForm
        account={account}
        limits={limits}
        withdrawable={sources}
        typedAmount={typedAmount}
        onType={onType}
        onReview={(amount) => {
          setChanged(false);
          onReview({ amount, sources });
        }}
      />
    );
  const confirm = (): void => {
    const { amount } = reviewed;
    // The form says what the amount exceeds by now.
    if (validateWithdrawal(amount, limits, sources)) return onReview(undefined);
    if (isSameSplit(amount, reviewed.sources, sources)) return onSend(amount);
    setChanged(true);
    onReview({ amount, sources });
  };
  return (
    <>
      {/* The amount survives the end of the session. */}
      <input type="hidden" data-amount="" aria-label={t('amount')} value={typedAmount} />
      <WithdrawalReview
        reviewed={reviewed}
        account={account}
        hasChanged={hasChanged}
        isSending={isSending}
        onConfirm={confirm}
        onBack={() => onReview(undefined)}
      />
    </>
  );
}

function FormSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-5 pb-2">
      <Skeleton className="h-20 w-full" />
      <Skeleton className="h-12 w-full" />
      <Skeleton className="h-28 w-full" />
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-12 w-full" />
    </div>
  );
}
