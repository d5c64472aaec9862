import type { MemberEvent } from '@krapao/contract/events';
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { invalidate } from '../api/query/query.ts';
import { lookUp } from '../api/lookup.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { useShownOutcomes } from '../member/money-toasts.ts';
import { WALLET } from '../member/wallet.ts';
import type { DialogWithBanners } from './dialogs.tsx';
import type { AgreementGateProps } from '../features/agreement/agreement-gate.tsx';
import { takeRememberedGame } from '../member/same-tab-return.ts';
import { HomePage } from '../features/home/home-page.tsx';
import { loadDialogs } from '../member/load-dialogs.ts';
import { handleChunkError } from '../routing/navigation.ts';

/** Loaders of the dialogs. A dialog loads when it is requested or when the page is idle. */
const dialogLoaders = {
  deposit: async () => (await loadDialogs()).DepositDialog,
  transfer: async () => (await loadDialogs()).TransferDialog,
  withdraw: async () => (await loadDialogs()).WithdrawDialog,
  game: async () => {
    const [{ GameDialog }] = await Promise.all([loadDialogs(), loadTabSetting()]);
    return GameDialog;
  },
  invite: async () => (await loadDialogs()).InviteDialog,
  refund: async () => (await loadDialogs()).RefundDialog,
  referral: async () => (await loadDialogs()).ReceivePopup,
};

/** Maximum wait in ms of a game's dialog for the tab setting. Without the setting, games open in their own tab. */
const TAB_SETTING_WAIT_MS = 10_000;

/** Loads the tab setting before the member can press "play", because a press handler can't wait for it. */
const loadTabSetting = (): Promise<unknown> =>
  Promise.race([
    lookUp('GET /api/lookup/info', true).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, TAB_SETTING_WAIT_MS)),
  ]);

type DialogKind = keyof typeof dialogLoaders;
type OpenDialog = { kind: DialogKind; dialog: ReactNode };
type PropsOf<K extends DialogKind> =
  Awaited<ReturnType<(typeof dialogLoaders)[K]>> extends ComponentType<infer P> ? P : never;

const hasBanners = (kind: DialogKind): kind is DialogWithBanners => kind === 'invite' || kind === 'refund';

/** Event kinds whose outcome an open dialog shows itself. */
const outcomesByDialog: Readonly<Partial<Record<DialogKind, readonly MemberEvent['kind'][]>>> = {
  deposit: ['deposit'],
  transfer: ['transfer'],
  game: ['transfer'],
  // A withdrawal transfers money out of the games first.
  withdraw: ['withdraw', 'transfer'],
};
const NO_OUTCOMES: readonly MemberEvent['kind'][] = [];

const PRELOAD_DELAY_MS = 2_500;

/** The home page with its dialogs. */
export function HomeScreen() {
  const [openDialog, setOpenDialog] = useState<OpenDialog>();
  const lastRequested = useRef<DialogKind>(undefined);
  useShownOutcomes((openDialog && outcomesByDialog[openDialog.kind]) ?? NO_OUTCOMES);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of [loadDialogs, loadTabSetting]) load().catch(() => undefined);
    }, PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);

  const closeDialog = (): void => setOpenDialog(undefined);
  /** Closes a dialog that may have moved money, and refreshes the balances. */
  const closeAndRefresh = (hasSaved: boolean): void => {
    closeDialog();
    if (hasSaved) void invalidate('wallet');
  };
  const showDialog = async <K extends DialogKind>(kind: K, props: PropsOf<K>): Promise<void> => {
    const endPending = beginPending();
    lastRequested.current = kind;
    try {
      const Dialog = (await dialogLoaders[kind]()) as ComponentType<PropsOf<K>>;
      const dialog = <Dialog {...(props as PropsOf<K> & object)} />;
      const dialogOrBanners = hasBanners(kind) ? await (await loadDialogs()).withBannersFirst(kind, dialog) : dialog;
      // False if another dialog was requested while this one loaded.
      if (lastRequested.current === kind) setOpenDialog({ kind, dialog: dialogOrBanners });
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      endPending();
    }
  };
  const transferToWallet = (from: string, amount: number): void =>
    void showDialog('transfer', { from, to: WALLET, amount, onClose: closeAndRefresh });
  const showGame = (code: string): void =>
    void showDialog('game', {
      code,
      onClose: closeDialog,
      onTransferToWallet: (amount) => transferToWallet(code, amount),
    });
  // After a return from a game in the same tab, reopens the game's dialog.
  const reopenGame = useEffectEvent(() => {
    const gameCode = takeRememberedGame();
    if (gameCode !== undefined) showGame(gameCode);
  });
  useEffect(() => {
    const timer = setTimeout(() => reopenGame(), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <HomePage
        onDeposit={() =>
          void showDialog('deposit', { onClose: closeDialog, onSlips: () => navigate('/user/statement#slips') })
        }
        onTransfer={() => void showDialog('transfer', { from: WALLET, onClose: closeAndRefresh })}
        onWithdraw={() => void showDialog('withdraw', { onClose: closeAndRefresh })}
        onInvite={() => void showDialog('invite', { onClose: closeDialog })}
        onRefund={() => void showDialog('refund', { onClose: closeAndRefresh })}
        onReferral={(invite) => void showDialog('referral', { invite, onClose: closeAndRefresh })}
        onGame={({ code }) => showGame(code)}
      />
      {openDialog && (
        <DialogBoundary key={openDialog.kind} sectionName={`dialog ${openDialog.kind}`} onClose={closeDialog}>
          {openDialog.dialog}
        </DialogBoundary>
      )}
      <LazyAgreement isDelayed={openDialog !== undefined} />
    </>
  );
}

/** The agreements. Their chunk loads after the page because they appear with a delay. */
function LazyAgreement({ isDelayed }: { isDelayed: boolean }) {
  const [shownAt] = useState(() => performance.now());
  const [AgreementGateComponent, setAgreementGate] = useState<ComponentType<AgreementGateProps>>();
  useEffect(() => {
    // Data and code load concurrently: one after the other would be late on a slow connection.
    for (const name of ['GET /api/lookup/agreements', 'GET /api/lookup/info'] as const)
      lookUp(name, true).catch(() => undefined);
    // If the chunk fails to load, the agreements appear at the next visit.
    import('../features/agreement/agreement-gate.tsx').then(
      ({ AgreementGate }) => setAgreementGate(() => AgreementGate),
      () => undefined,
    );
  }, []);
  return (
    AgreementGateComponent && (
      <DialogBoundary sectionName="agreement" onClose={() => setAgreementGate(undefined)}>
        <AgreementGateComponent pageStartMs={shownAt} isDelayed={isDelayed} />
      </DialogBoundary>
    )
  );
}
