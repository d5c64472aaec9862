import type { MemberEvent } from '@krapao/contract/events';
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { beginPending } from '../api/call.ts';
import { invalidate } from '../api/query/query.ts';
import { lookUp } from '../api/lookup.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { useShownOutcomes } from '../member/money-toasts.ts';
import { WALLET } from '../member/wallet.ts';
import type { WithBanners } from './dialogs.tsx';
import type { AgreementGateProps } from '../features/agreement/agreement-gate.tsx';
import { takeRememberedGame } from '../member/same-tab-return.ts';
import { HomePage } from '../features/home/home-page.tsx';
import { loadDialogs } from '../member/load-dialogs.ts';
import { handleChunkError } from '../routing/navigation.ts';

/** Dialogs load on demand, or when the page is idle. */
const loads = {
  deposit: async () => (await loadDialogs()).DepositDialog,
  transfer: async () => (await loadDialogs()).TransferDialog,
  withdraw: async () => (await loadDialogs()).WithdrawDialog,
  game: async () => {
    const [{ GameDialog }] = await Promise.all([loadDialogs(), tabKnown()]);
    return GameDialog;
  },
  invite: async () => (await loadDialogs()).InviteDialog,
  refund: async () => (await loadDialogs()).RefundDialog,
  referral: async () => (await loadDialogs()).ReceivePopup,
};

/** Longest wait of a game's dialog for the tab setting, in ms; without it, games open in their own tab. */
const TAB_KNOWN_WITHIN_MS = 10_000;

/** Loads the tab setting in advance: a press on "play" can't wait for it. */
const tabKnown = (): Promise<unknown> =>
  Promise.race([
    lookUp('GET /api/lookup/info', true).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, TAB_KNOWN_WITHIN_MS)),
  ]);

type Kind = keyof typeof loads;
type Open = { kind: Kind; dialog: ReactNode };
type PropsOf<K extends Kind> = Awaited<ReturnType<(typeof loads)[K]>> extends ComponentType<infer P> ? P : never;

const isBannered = (kind: Kind): kind is WithBanners => kind === 'invite' || kind === 'refund';

/** Outcomes that an open dialog shows itself. */
const outcomesIn: Readonly<Partial<Record<Kind, readonly MemberEvent['kind'][]>>> = {
  deposit: ['deposit'],
  transfer: ['transfer'],
  game: ['transfer'],
  // A withdrawal sweeps the games by transfers.
  withdraw: ['withdraw', 'transfer'],
};
const NO_OUTCOMES: readonly MemberEvent['kind'][] = [];

const REST_MS = 2_500;

/** The home page with its dialogs. */
export function HomeScreen() {
  const [open, setOpen] = useState<Open>();
  const lastAsked = useRef<Kind>(undefined);
  useShownOutcomes((open && outcomesIn[open.kind]) ?? NO_OUTCOMES);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of [loadDialogs, tabKnown]) load().catch(() => undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, []);

  const close = (): void => setOpen(undefined);
  /** Closes a dialog that may have moved money, and refreshes the balances. */
  const closeSaved = (saved: boolean): void => {
    close();
    if (saved) void invalidate('wallet');
  };
  const show = async <K extends Kind>(kind: K, props: PropsOf<K>): Promise<void> => {
    const end = beginPending();
    lastAsked.current = kind;
    try {
      const Dialog = (await loads[kind]()) as ComponentType<PropsOf<K>>;
      const dialog = <Dialog {...(props as PropsOf<K> & object)} />;
      const shown = isBannered(kind) ? await (await loadDialogs()).bannersFirst(kind, dialog) : dialog;
      // Another dialog was requested while this one loaded.
      if (lastAsked.current === kind) setOpen({ kind, dialog: shown });
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      end();
    }
  };
  const takeHome = (from: string, amount: number): void =>
    void show('transfer', { from, to: WALLET, amount, onClose: closeSaved });
  const showGame = (code: string): void =>
    void show('game', { code, onClose: close, onTakeHome: (amount) => takeHome(code, amount) });
  // Returned from a game that used the app's own tab: reopens its dialog.
  const showLeft = useEffectEvent(() => {
    const left = takeRememberedGame();
    if (left !== undefined) showGame(left);
  });
  useEffect(() => {
    const timer = setTimeout(() => showLeft(), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <HomePage
        onDeposit={() => void show('deposit', { onClose: close, onSlips: () => navigate('/user/statement#slips') })}
        onTransfer={() => void show('transfer', { from: WALLET, onClose: closeSaved })}
        onWithdraw={() => void show('withdraw', { onClose: closeSaved })}
        onInvite={() => void show('invite', { onClose: close })}
        onRefund={() => void show('refund', { onClose: closeSaved })}
        onReferral={(invite) => void show('referral', { invite, onClose: closeSaved })}
        onGame={({ code }) => showGame(code)}
      />
      {open && (
        <DialogBoundary key={open.kind} part={`dialog ${open.kind}`} onClose={close}>
          {open.dialog}
        </DialogBoundary>
      )}
      <LaterAgreement isHeld={open !== undefined} />
    </>
  );
}

/** The agreements, loaded after the page because they appear with a delay. */
function LaterAgreement({ isHeld }: { isHeld: boolean }) {
  const [since] = useState(() => performance.now());
  const [Gate, setGate] = useState<ComponentType<AgreementGateProps>>();
  useEffect(() => {
    // Data loads in parallel with the code: sequentially it would be late on a slow connection.
    for (const name of ['GET /api/lookup/agreements', 'GET /api/lookup/info'] as const)
      lookUp(name, true).catch(() => undefined);
    // Without its chunk, the agreements appear at the next visit.
    import('../features/agreement/agreement-gate.tsx').then(
      ({ AgreementGate }) => setGate(() => AgreementGate),
      () => undefined,
    );
  }, []);
  return (
    Gate && (
      <DialogBoundary part="agreement" onClose={() => setGate(undefined)}>
        <Gate since={since} isHeld={isHeld} />
      </DialogBoundary>
    )
  );
}
