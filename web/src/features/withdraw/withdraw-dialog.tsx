import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query.ts';
import { type Lookup, useLookup } from '../../api/use-lookup.ts';
import { useWallet } from '../../api/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { everythingOf } from './everything.ts';
import { UnderWay, type UnderWayProps } from './under-way.tsx';
import { useWithdraw } from './use-withdraw.ts';
import { WithdrawForm, type WithdrawFormProps } from './withdraw-form.tsx';
import { WithdrawOutcome } from './withdraw-outcome.tsx';

export type WithdrawDialogProps = {
  /** `saved`: a withdrawal has been asked for. */
  onClose: (saved: boolean) => void;
};

/** How often a state that no event tells of is asked for, while it is looked at. */
const LOOK_AGAIN_MS = 5_000;

/** Taking money out to the registered bank account, or how the withdrawal stands that is under way. */
export function WithdrawDialog({ onClose }: WithdrawDialogProps) {
  const { t } = useTranslation('withdraw');
  const wallet = useWallet().data;
  const limits = useLookup('GET /api/lookup/withdraw', true);
  const { state, send, reset } = useWithdraw();
  const [typed, setTyped] = useState('');
  // What was typed stays in sight behind the answer to it.
  const underWay = state.step === 'idle' ? wallet?.withdrawal : undefined;
  const close = (): void => onClose(state.step === 'requested');
  const form = {
    typed,
    onType: setTyped,
    isSending: state.step === 'sending',
    onSend: (amount: number) => void send(amount),
  };
  return (
    <>
      {state.step !== 'requested' && (
        <Modal open onClose={close} title={t(underWay ? 'underWay' : 'title')}>
          {underWay ? (
            <Watched withdrawal={underWay} account={wallet?.bankAccount ?? null} onClose={close} />
          ) : (
            <Form limits={limits} form={form} />
          )}
        </Modal>
      )}
      {state.step !== 'idle' && state.step !== 'sending' && (
        <WithdrawOutcome
          state={state}
          account={wallet?.bankAccount ?? null}
          limits={limits.data}
          games={wallet?.slots ?? []}
          onClose={state.step === 'requested' ? close : reset}
          onRetry={() => void send(state.amount)}
        />
      )}
    </>
  );
}

/** Asked again while it is looked at: not every step of a withdrawal is an event. */
function Watched(props: UnderWayProps) {
  useQuery({ ...apiQuery('GET /api/wallet', { quiet: true }), refetchInterval: LOOK_AGAIN_MS });
  return <UnderWay {...props} />;
}

type FormProps = {
  limits: Lookup<'GET /api/lookup/withdraw'>;
  form: Pick<WithdrawFormProps, 'typed' | 'onType' | 'isSending' | 'onSend'>;
};

/** The form, or why there is none. */
function Form({ limits, form }: FormProps) {
  const { t } = useTranslation(['withdraw', 'common']);
  const wallet = useWallet();
  if (wallet.isLoading || (!limits.data && !limits.failure)) return <FormToCome />;
  if (!wallet.data || !limits.data) {
    const retry = (): void => {
      if (limits.failure) limits.retry();
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
  return <WithdrawForm account={bankAccount} limits={limits.data} everything={everythingOf(wallet.data)} {...form} />;
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
