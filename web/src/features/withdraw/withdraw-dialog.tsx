import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import { useWallet, type Wallet } from '../../member/wallet.ts';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { fullBalance, type Limits, WithdrawForm, type WithdrawFormProps } from './withdraw-form.tsx';
import { WithdrawalPending, type WithdrawalPendingProps } from './withdrawal-pending.tsx';
import { useWithdrawalOutcome, useWithdraw, type Withdraw } from './use-withdraw.ts';
import { WithdrawalResult, WithdrawOutcome } from './withdrawal-outcome.tsx';

export type WithdrawDialogProps = {
  /** `saved`: a withdrawal was requested. */
  onClose: (saved: boolean) => void;
};

/** Polling interval of a state without events, while it is visible. */
const LOOK_AGAIN_MS = 5_000;

/** Withdraws to the registered bank account; shows a pending withdrawal and its result. */
export function WithdrawDialog({ onClose }: WithdrawDialogProps) {
  const wallet = useWallet().data;
  const withdraw = useWithdraw();
  const { state } = withdraw;
  // The form stays visible behind the result.
  const underWay = state.status === 'idle' ? wallet?.withdrawal : undefined;
  const end = useWithdrawalOutcome(state.status === 'done' ? state.reply.reference : underWay?.reference);
  if (!end) return <Asking wallet={wallet} withdraw={withdraw} underWay={underWay} onClose={onClose} />;
  return (
    <WithdrawalResult
      end={end}
      account={wallet?.bankAccount ?? null}
      games={wallet?.slots ?? []}
      notBrought={state.status === 'done' ? state.reply.notBrought : []}
      onClose={() => onClose(true)}
    />
  );
}

type AskingProps = WithdrawDialogProps & {
  wallet: Wallet | undefined;
  withdraw: Withdraw;
  underWay: Wallet['withdrawal'] | undefined;
};

/** Before the outcome: the form, the reply, or the pending withdrawal. */
function Asking({ wallet, withdraw: { state, send, retry, reset, isBusy }, underWay, onClose }: AskingProps) {
  const { t } = useTranslation('withdraw');
  const limits = useQuery({ ...apiQuery('GET /api/lookup/withdraw', { quiet: true }), staleTime: 0 });
  const [typed, setTyped] = useState('');
  const account = wallet?.bankAccount ?? null;
  const close = (): void => onClose(state.status === 'done');
  const form = {
    typed,
    onType: setTyped,
    isSending: isBusy,
    onSend: (amount: number) => void send(amount),
  };
  return (
    <>
      {state.status !== 'done' && (
        <Modal
          open
          // Not closable while sending: the member would miss the result and could not retry the same command.
          onClose={isBusy ? undefined : close}
          title={t(underWay ? 'underWay' : 'title')}
        >
          {underWay ? (
            <Watched withdrawal={underWay} account={account} onClose={close} />
          ) : (
            <Form limits={limits} form={form} />
          )}
        </Modal>
      )}
      {(state.status === 'done' || state.status === 'failed' || state.status === 'undecided') && (
        <WithdrawOutcome
          state={state}
          account={account}
          limits={limits.data}
          games={wallet?.slots ?? []}
          onClose={state.status === 'done' ? close : reset}
          onRetry={retry}
        />
      )}
    </>
  );
}

/** Polled while visible: not every phase of a withdrawal has an event. */
function Watched(props: WithdrawalPendingProps) {
  useQuery({ ...apiQuery('GET /api/wallet', { quiet: true }), refetchInterval: LOOK_AGAIN_MS });
  return <WithdrawalPending {...props} />;
}

type FormProps = {
  limits: UseQueryResult<Limits>;
  form: Pick<WithdrawFormProps, 'typed' | 'onType' | 'isSending' | 'onSend'>;
};

/** The form, or the reason why it is unavailable. */
function Form({ limits, form }: FormProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const wallet = useWallet();
  if (wallet.isLoading || limits.isLoading) return <FormSkeleton />;
  if (!wallet.data || !limits.data) {
    const retry = (): void => {
      if (!limits.data) void limits.refetch();
      if (!wallet.data) void wallet.refetch();
    };
    const action = (
      <Button variant="quiet" size="sm" onClick={retry}>
        {t('common:retry')}
      </Button>
    );
    return <EmptyState title={t('unavailable')} action={action} />;
  }
  const { bankAccount } = wallet.data;
  if (!bankAccount) return <EmptyState title={t('noBank')} text={t('noBankHint')} />;
  return <WithdrawForm account={bankAccount} limits={limits.data} fullBalance={fullBalance(wallet.data)} {...form} />;
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
