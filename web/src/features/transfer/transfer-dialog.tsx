import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asTyped } from '../../format/typed-amount.ts';
import { useTransfer } from '../../shared/transfer/use-transfer.ts';
import { activeGames, useWallet, WALLET } from '../../shared/wallet/use-wallet.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { accountsOf } from './accounts.ts';
import { TransferForm, type TransferDraft } from './transfer-form.tsx';
import { TransferOutcome } from './transfer-outcome.tsx';
import { TransferUnderWay } from './under-way.tsx';

export type TransferDialogProps = {
  /** What is chosen at first: WALLET or a game's code. */
  from: string;
  to?: string;
  /** What the field holds at first, as on the wire; empty when left out. */
  amount?: number;
  /** `saved`: money has been moved, or is on its way. */
  onClose: (saved: boolean) => void;
};

/** Moving money between the wallet and the game accounts, up to its outcome. */
export function TransferDialog({ from, to, amount, onClose }: TransferDialogProps) {
  const { t } = useTranslation(['transfer', 'common']);
  const wallet = useWallet();
  const { state, send, reset } = useTransfer();
  const games = activeGames(wallet.data).filter((game) => !game.isHidden);
  const [typed, setDraft] = useState<Omit<TransferDraft, 'to'> & { to?: string | undefined }>({
    from,
    to,
    amount: amount === undefined ? '' : asTyped(amount),
  });
  // With one game there is nothing to choose, also when the wallet loads only after the dialog has opened.
  const onlyGame = typed.from === WALLET && games.length === 1 ? games[0]?.code : undefined;
  const draft: TransferDraft = { ...typed, to: typed.to ?? onlyGame ?? '' };
  const accounts = accountsOf(wallet.data, t('wallet'));
  const close = (): void => onClose(state.step === 'done' || state.step === 'processing');
  if (state.step === 'done') return <TransferOutcome state={state} accounts={accounts} onClose={close} />;
  return (
    <>
      <Modal
        open
        // Who left meanwhile would not hear how it went, nor could ask for the very same again.
        onClose={state.step === 'sending' ? undefined : close}
        title={t(state.step === 'processing' ? 'processingTitle' : 'title')}
      >
        {state.step === 'processing' ? (
          <TransferUnderWay state={state} onClose={close} />
        ) : wallet.isLoading ? (
          <FormSkeleton />
        ) : !wallet.data ? (
          <EmptyState
            title={t('unavailable')}
            action={
              <Button variant="quiet" size="sm" onClick={() => void wallet.refetch()}>
                {t('common:retry')}
              </Button>
            }
          />
        ) : accounts.length === 1 ? (
          <EmptyState title={t('noGames')} text={t('noGamesHint')} />
        ) : (
          <TransferForm
            accounts={accounts}
            draft={draft}
            onChange={setDraft}
            isSending={state.step === 'sending'}
            onSend={(input) => void send(input)}
          />
        )}
      </Modal>
      {(state.step === 'failed' || state.step === 'undecided') && (
        <TransferOutcome state={state} accounts={accounts} onClose={reset} onRetry={() => void send(state.input)} />
      )}
    </>
  );
}

function FormSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-5 pb-2">
      <Skeleton className="h-20 w-full" />
      <Skeleton className="h-20 w-full" />
      <Skeleton className="h-20 w-full" />
      <Skeleton className="h-12 w-full" />
    </div>
  );
}
