import type { MemberEvent } from '@krapao/contract/events';
import { type ComponentType, type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { fetchOperatorData } from '../api/operator-data.ts';
import { invalidate } from '../api/query/query.ts';
import { resumeReturn, takeRememberedGame } from '../features/game/game-return.ts';
import { HomePage } from '../features/home/home-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { takeQuickPlay } from '../member/quick-play.ts';
import { useShownOutcomes } from '../member/shown-outcomes.ts';
import { useHashTarget } from '../routing/hash-target.ts';
import { useLazyModule } from '../routing/navigation.ts';
import { openSupportChat } from '../shared/chat-draft.ts';
import { DialogBoundary } from '../shared/dialog-boundary.tsx';
import { useLazyDialog, usePreload } from '../shared/lazy-dialog.ts';
import { openMoney } from '../shared/open-money.ts';
import type { DialogWithBanners } from './dialogs.tsx';
import { loadDialogs } from './load-dialogs.ts';
import { loadAside } from './start-aside.ts';

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
    fetchOperatorData('GET /api/lookup/info', true).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, TAB_SETTING_WAIT_MS)),
  ]);

type DialogKind = keyof typeof dialogLoaders;
type PropsOf<K extends DialogKind> =
  Awaited<ReturnType<(typeof dialogLoaders)[K]>> extends ComponentType<infer P> ? P : never;

const hasBanners = (kind: DialogKind): kind is DialogWithBanners => kind === 'invite' || kind === 'refund';

async function loadDialog({ kind, props }: { kind: DialogKind; props: object }): Promise<ReactElement> {
  const Dialog = (await dialogLoaders[kind]()) as ComponentType<object>;
  const dialog = <Dialog {...props} />;
  return hasBanners(kind) ? (await loadDialogs()).withBannersFirst(kind, dialog) : dialog;
}

const preload = (): Promise<unknown> => Promise.all([loadDialogs(), loadTabSetting()]);

/** Event kinds whose outcome an open dialog shows itself. */
const outcomesByDialog: Readonly<Partial<Record<DialogKind, readonly MemberEvent['kind'][]>>> = {
  transfer: ['transfer'],
  game: ['transfer'],
  // A withdrawal transfers money out of the games first.
  withdraw: ['withdraw', 'transfer'],
};
const NO_OUTCOMES: readonly MemberEvent['kind'][] = [];

const PRELOAD_DELAY_MS = 2_500;

/** The home page with its dialogs. */
export function HomeScreen() {
  const { opened, open, close: closeDialog } = useLazyDialog(loadDialog);
  useShownOutcomes((opened && outcomesByDialog[opened.input.kind]) ?? NO_OUTCOMES);
  usePreload(preload, PRELOAD_DELAY_MS);

  /** Closes a dialog that may have moved money, and refreshes the balances. */
  const closeAndRefresh = (hasSaved: boolean): void => {
    closeDialog();
    if (hasSaved) void invalidate('wallet');
  };
  const showDialog = <K extends DialogKind>(kind: K, props: PropsOf<K> & object): void => open({ kind, props });
  const showGame = (code: string, options: Pick<PropsOf<'game'>, 'quickPlay' | 'isBackFromGame'> = {}): void =>
    showDialog('game', {
      code,
      onClose: closeDialog,
      ...options,
    });
  const showSlips = (): void => navigate('/user/statement#slips');
  // `#deposit=QRCODE_ID`, `#withdraw`, `#transfer`, `#game=CODE`, `#money=KEY`, `#chat`.
  useHashTarget((name, value) => {
    if (name === 'deposit') showDialog('deposit', { qrcodeId: value, onClose: closeDialog, onSlips: showSlips });
    else if (name === 'withdraw') showDialog('withdraw', { onClose: closeAndRefresh });
    else if (name === 'transfer') showDialog('transfer', { onClose: closeAndRefresh });
    else if (name === 'game') showGame(value, { quickPlay: takeQuickPlay(value) });
    else if (name === 'money') void openMoney(value);
    else if (name === 'chat') openSupportChat();
    else return false;
    return true;
  });
  // After a return from a game to this tab, reopens the game's dialog.
  const reopenGame = useEffectEvent(() => {
    const gameCode = takeRememberedGame();
    if (gameCode !== undefined) showGame(gameCode, { isBackFromGame: true });
    // The page was loaded again after a game: its listeners are gone.
    resumeReturn();
  });
  useEffect(() => {
    const timer = setTimeout(() => reopenGame(), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <HomePage
        bell={<LazyBell />}
        onDeposit={() => showDialog('deposit', { onClose: closeDialog, onSlips: showSlips })}
        onTransfer={() => showDialog('transfer', { onClose: closeAndRefresh })}
        onWithdraw={() => showDialog('withdraw', { onClose: closeAndRefresh })}
        onInvite={() => showDialog('invite', { onClose: closeDialog })}
        onRefund={() => showDialog('refund', { onClose: closeAndRefresh })}
        onReferral={(invite) => showDialog('referral', { invite, onClose: closeAndRefresh })}
        onGame={({ code }) => showGame(code)}
        onPlay={({ code }, quickPlay) => showGame(code, { quickPlay })}
      />
      {opened && (
        <DialogBoundary key={opened.input.kind} sectionName={`dialog ${opened.input.kind}`} onClose={closeDialog}>
          {opened.loaded}
        </DialogBoundary>
      )}
      <LazyAgreement isDelayed={opened !== undefined} />
    </>
  );
}

/** After hydration, so that nothing of the first view waits for the bell. */
const BELL_DELAY_MS = 1_500;

/** The bell. It is higher than the greeting's row and extends into the gaps above and below; its width is reserved. */
function LazyBell() {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), BELL_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const { loadedModule } = useLazyModule(loadAside, { isEnabled: isIdle, isOptional: true });
  return <div className="-my-1.5 size-11 shrink-0">{loadedModule && <loadedModule.Bell />}</div>;
}

const loadAgreements = async () => {
  const [{ AgreementGate }] = await Promise.all([
    import('../features/agreement/agreement-gate.tsx'),
    loadNamespaces(['agreement']),
  ]);
  return { AgreementGate };
};

/** The agreements. Their chunk loads after the page because they appear with a delay. */
function LazyAgreement({ isDelayed }: { isDelayed: boolean }) {
  const [firstRenderMs] = useState(() => performance.now());
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    // Data and code load concurrently: one after the other would be late on a slow connection.
    for (const name of ['GET /api/lookup/agreements', 'GET /api/lookup/info'] as const)
      fetchOperatorData(name, true).catch(() => undefined);
  }, []);
  // If the chunk fails to load, the agreements appear at the next visit.
  const { loadedModule } = useLazyModule(loadAgreements, { isOptional: true });
  return (
    loadedModule &&
    !isBroken && (
      <DialogBoundary sectionName="agreement" onClose={() => setBroken(true)}>
        <loadedModule.AgreementGate firstRenderMs={firstRenderMs} isDelayed={isDelayed} />
      </DialogBoundary>
    )
  );
}
