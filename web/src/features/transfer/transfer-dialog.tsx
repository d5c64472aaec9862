import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrency } from '../../member/use-currency.ts';
import { activeGames, useFreshBalances, useWallet, WALLET } from '../../member/wallet.ts';
import { AskSupport, useSheetAddress } from '../../shared/ask-support.tsx';
import { movedAmount, type TransferInput, useTransfer, type TransferState } from '../../shared/transfer.ts';
import { Button } from '../../ui/core/button.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { TransferForm, type TransferDraft } from './transfer-form.tsx';
import { TransferOutcome } from './transfer-outcome.tsx';
import { type Account, transferAccounts } from './validate-transfer.ts';

export type TransferDialogProps = {
  /** `hasSaved` is true if money was moved or the transfer is pending. */
  onClose: (hasSaved: boolean) => void;
};

/** Transfers money between the wallet and game accounts, and shows the result. */
export function TransferDialog({ onClose }: TransferDialogProps) {
  const { t } = useTranslation(['transfer', 'common']);
  useSheetAddress('/user/home#transfer');
  const wallet = useWallet();
  const { state, send, retry, reset, isBusy } = useTransfer();
  const games = activeGames(wallet.data).filter((game) => !game.isHidden);
  useFreshBalances(true);
  const [typedDraft, setDraft] = useState<Omit<TransferDraft, 'to'> & { to?: string | undefined }>({
    from: WALLET,
    amount: '',
  });
  // If there is only one game, it is preselected, even if the wallet loads after the dialog has opened.
  const onlyGame = typedDraft.from === WALLET && games.length === 1 ? games[0]?.code : undefined;
  const draft: TransferDraft = { ...typedDraft, to: typedDraft.to ?? onlyGame ?? '' };
  const accounts = transferAccounts(wallet.data, t('wallet'));
  const close = (): void => onClose(state.status === 'done' || state.status === 'processing');
  if (state.status === 'done') return <TransferOutcome state={state} accounts={accounts} onClose={close} />;
  return (
    <>
      <Modal
        open
        // Not closable while a transfer is being sent: the member would miss the result and could not retry the same
        // command.
        onClose={isBusy ? undefined : close}
        title={t(state.status === 'processing' ? 'processingTitle' : 'title')}
      >
        {state.status === 'processing' ? (
          <TransferPending state={state} onClose={close} />
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
          <>
            <GamesWithMoney accounts={accounts} state={state} onSend={(input) => void send(input)} />
            <TransferForm
              accounts={accounts}
              draft={draft}
              onChange={setDraft}
              isSending={isBusy}
              onSend={(input) => void send(input)}
            />
          </>
        )}
      </Modal>
      {(state.status === 'failed' || state.status === 'undecided') && (
        <TransferOutcome state={state} accounts={accounts} onClose={reset} onRetry={retry} />
      )}
    </>
  );
}

/** Games offered for a move home by one press; the others are in the form. */
const GAMES_MAX = 3;

type GamesWithMoneyProps = {
  accounts: readonly Account[];
  state: TransferState;
  onSend: (input: TransferInput) => void;
};

/** Moves all money of a game to the wallet by one press, for the games with most money. */
function GamesWithMoney({ accounts, state, onSend }: GamesWithMoneyProps) {
  const { t } = useTranslation('transfer');
  const { format } = useCurrency();
  const sent = state.status === 'sending' ? state.input : undefined;
  const games = accounts
    .filter(({ code, amount, isBusy }) => code !== WALLET && amount > 0 && !isBusy)
    .toSorted((one, other) => other.amount - one.amount)
    .slice(0, GAMES_MAX);
  if (games.length === 0) return null;
  return (
    <section
      aria-label={t('takeHomeTitle')}
      className="mb-4 grid gap-2 border-b border-line pb-4 low:mb-2 low:auto-cols-fr low:grid-flow-col low:pb-2"
    >
      {games.map(({ code, name, amount }) => (
        <Button
          key={code}
          variant="quiet"
          wide
          busy={sent?.isAll === true && sent.from === code && t('submitting')}
          disabled={sent !== undefined && sent.from !== code}
          onClick={() => onSend({ from: code, to: WALLET, amount, isAll: true })}
        >
          {t('takeHome', { name, amount: format(amount) })}
        </Button>
      ))}
    </section>
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

export type TransferPendingProps = { state: Extract<TransferState, { status: 'processing' }>; onClose: () => void };

/** A pending transfer: where the money is, and how the member is notified. */
export function TransferPending({ state, onClose }: TransferPendingProps) {
  const { t } = useTranslation(['transfer', 'common']);
  const money = useCurrency();
  return (
    <div className="grid gap-4">
      <div role="status" className="flex items-start gap-4">
        <span className="flex size-12 shrink-0 items-center justify-center rounded-full bg-amber-deep text-amber ring-1 ring-amber/50">
          <Spinner className="size-6" />
        </span>
        <div className="grid gap-2">
          {/* A transfer out of a game: the money stays in the game until the provider releases it. */}
          <p>
            {t(state.input.from === WALLET ? 'processing' : 'processingOut', {
              amount: money.format(movedAmount(state)),
            })}
          </p>
          <p className="text-sm text-muted">{t('processingClose')}</p>
          <p className="text-xs text-faint">{t('reference', { reference: state.reference })}</p>
          <AskSupport kind="transfer" reference={state.reference} className="-my-2" />
        </div>
      </div>
      <ModalActions>
        <Button variant="quiet" onClick={onClose}>
          {t('common:close')}
        </Button>
      </ModalActions>
    </div>
  );
}
