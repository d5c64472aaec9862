import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query.ts';
import { useLookup } from '../../api/use-lookup.ts';
import { useWallet } from '../../api/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { everythingOf } from './everything.ts';
import { UnderWay } from './under-way.tsx';
import { useWithdraw } from './use-withdraw.ts';
import { WithdrawForm } from './withdraw-form.tsx';
import { WithdrawOutcome } from './withdraw-outcome.tsx';

export type WithdrawDialogProps = {
  /** `saved`: a withdrawal has been asked for. */
  onClose: (saved: boolean) => void;
};

/** How often a state that no event tells of is asked for, while it is looked at. */
const LOOK_AGAIN_MS = 5_000;

/** Taking money out to the registered bank account, or how the withdrawal stands that is under way. */
export function WithdrawDialog({ onClose }: WithdrawDialogProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const wallet = useWallet();
  const limits = useLookup('GET /api/lookup/withdraw', true);
  const { state, send, reset } = useWithdraw();
  const [typed, setTyped] = useState('');
  const withdrawal = wallet.data?.withdrawal ?? undefined;
  const isWatching = withdrawal !== undefined && state.step === 'idle';
  useQuery({
    ...apiQuery('GET /api/wallet', { quiet: true }),
    enabled: isWatching,
    refetchInterval: isWatching && LOOK_AGAIN_MS,
  });
  const close = (): void => onClose(state.step === 'requested');
  const account = wallet.data?.bankAccount ?? null;
  const outcome = (onOutcomeClose: () => void) =>
    (state.step === 'requested' || state.step === 'failed' || state.step === 'undecided') && (
      <WithdrawOutcome
        state={state}
        account={account}
        limits={limits.data}
        games={wallet.data?.slots ?? []}
        onClose={onOutcomeClose}
        onRetry={() => void send(state.amount)}
      />
    );
  if (state.step === 'requested') return outcome(close);
  const retry = (): void => {
    if (limits.failure) limits.retry();
    if (!wallet.data) void wallet.refetch();
  };
  // What was typed stays in sight behind the answer to it.
  const isAsked = state.step !== 'idle';
  return (
    <>
      <Modal open onClose={close} title={t(withdrawal && !isAsked ? 'underWay' : 'title')}>
        {withdrawal && !isAsked ? (
          <UnderWay withdrawal={withdrawal} account={account} onClose={close} />
        ) : wallet.isLoading || (!limits.data && !limits.failure) ? (
          <FormToCome />
        ) : !wallet.data || !limits.data ? (
          <EmptyState
            title={t('unavailable')}
            action={
              <Button variant="quiet" size="sm" onClick={retry}>
                {t('common:retry')}
              </Button>
            }
          />
        ) : !account ? (
          <EmptyState title={t('noBank')} text={t('noBankHint')} />
        ) : (
          <WithdrawForm
            account={account}
            limits={limits.data}
            everything={everythingOf(wallet.data)}
            typed={typed}
            onType={setTyped}
            isSending={state.step === 'sending'}
            onSend={(amount) => void send(amount)}
          />
        )}
      </Modal>
      {outcome(reset)}
    </>
  );
}

function FormToCome() {
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
