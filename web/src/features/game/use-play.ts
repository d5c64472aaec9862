import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import { invalidate } from '../../api/query/query.ts';
import { forgetLaunch, rememberLaunch } from '../../member/launches.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { type GameAccount, WALLET } from '../../member/wallet.ts';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import { hasTabs } from '../../shared/open-tab.ts';
import { movedAmount, useTransfer } from '../../shared/transfer.ts';
import { toast } from '../../ui/core/toast.tsx';
import { rememberCredentials } from './credentials-panel.tsx';
import { refreshOnReturn } from './game-return.ts';
import type { LaunchFailure } from './launch-outcome.tsx';
import {
  currentTab,
  type GameWindow,
  type LaunchTarget,
  openGameTab,
  resolveLaunchTarget,
  toGameWindow,
} from './launch.ts';

/** Amount to transfer into the game. `isAll`: the whole free wallet at the time of execution. */
export type TopUp = { amount: number; isAll: boolean };

/** Result of a top-up: the money is in the game, the transfer is pending (the member can't resend it), or neither. */
export type TopUpResult = 'in' | 'under_way' | 'not';

/** State of the last launch. */
export type Launch =
  | { step: 'idle' | 'opening' }
  /** Opened in a new tab; the app can't detect whether the tab is visible. */
  | { step: 'opened' }
  | { step: 'heldBack'; target: LaunchTarget }
  | ({ step: 'failed' } & LaunchFailure);

/** Time in ms after which a launch in the app's own tab counts as cancelled. */
const LEAVE_TIMEOUT_MS = 15_000;

/** Opens the account, unless it is open. @throws ApiFailure */
async function openAccount({ code, isActive }: GameAccount): Promise<void> {
  if (isActive) return;
  try {
    const params = { slotCode: code };
    rememberCredentials(code, await call('GET /api/wallet/activate/{slotCode}', { params, quiet: true }));
  } catch (failure) {
    if (!(failure instanceof ApiFailure && failure.message === 'SLOT_ALREADY_ACTIVE')) throw failure;
  } finally {
    void invalidate('wallet');
  }
}

/** Transfers money into a game and opens the game in a tab. */
export function usePlay(game: GameAccount) {
  const { t } = useTranslation('game');
  const { format } = useCurrency();
  const { state, send, reset } = useTransfer();
  const [launch, setLaunch] = useState<Launch>({ step: 'idle' });
  const { data: siteInfo } = useOperatorData('GET /api/lookup/info', true);
  const inNewTab = siteInfo?.gameTab !== 'same' && hasTabs();

  const { name } = game;
  const announcedReference = useRef<string>(undefined);
  useEffect(() => {
    // Texts that load later re-run this effect, but each transfer is announced once.
    if (state.status !== 'done' || announcedReference.current === state.reply.reference) return;
    announcedReference.current = state.reply.reference;
    toast.success(t('transferred', { amount: memberMoneyText(format(movedAmount(state))), name }));
  }, [state, t, format, name]);

  const topUpReference = useRef<string>(undefined);
  const addMoney = async ({ amount, isAll }: TopUp): Promise<TopUpResult> => {
    // New money stays in the game, also if the last return is still being worked on.
    forgetLaunch(game.code);
    const result = await send({ from: WALLET, to: game.code, amount, ...(isAll && { isAll }) });
    const { status } = result;
    topUpReference.current = 'reply' in result ? result.reply.reference : undefined;
    return status === 'done' ? 'in' : status === 'processing' ? 'under_way' : 'not';
  };

  /** Opens the account and the game; with a top-up, after its transfer has succeeded. */
  const openGame = async (gameWindow: GameWindow | undefined, topUp: TopUp | undefined): Promise<TopUpResult> => {
    setLaunch({ step: game.isActive ? 'idle' : 'opening' });
    forgetLaunch(game.code);
    try {
      await openAccount(game);
    } catch (failure) {
      gameWindow?.close();
      setLaunch({ step: 'failed', failure, isMoneyIn: false });
      return 'not';
    }
    setLaunch({ step: 'idle' });
    const result = topUp ? await addMoney(topUp) : 'not';
    const isMoneyIn = result === 'in';
    if (topUp && !isMoneyIn) {
      gameWindow?.close();
      return result;
    }
    setLaunch({ step: 'opening' });
    try {
      const target = await resolveLaunchTarget(game);
      rememberLaunch(game.code, gameWindow?.tab);
      refreshOnReturn();
      if (gameWindow?.navigate(target)) setLaunch({ step: gameWindow.isHere ? 'opening' : 'opened' });
      else {
        forgetLaunch(game.code);
        setLaunch({ step: 'heldBack', target });
      }
    } catch (failure) {
      gameWindow?.close();
      setLaunch({ step: 'failed', failure, isMoneyIn, reference: topUpReference.current });
    }
    return result;
  };

  const openHere = async (topUp?: TopUp): Promise<TopUpResult> => {
    const result = await openGame(currentTab(game.code), topUp);
    const resetOpening = (): void => setLaunch((current) => (current.step === 'opening' ? { step: 'idle' } : current));
    addEventListener('pageshow', resetOpening, { once: true });
    setTimeout(resetOpening, LEAVE_TIMEOUT_MS);
    return result;
  };

  /** Must be called in a press handler, because it opens a tab synchronously. */
  const play = (topUp?: TopUp): Promise<TopUpResult> =>
    inNewTab ? openGame(openGameTab(t('launchPage', { name })), topUp) : openHere(topUp);

  /** Plays in a tab that a press elsewhere has opened. */
  const playIn = (tab: Window | undefined, topUp?: TopUp): Promise<TopUpResult> =>
    inNewTab ? openGame(tab && toGameWindow(tab), topUp) : openHere(topUp);

  const playHere = (): void => void openHere();
  /** Forgets the outcome of the launch, because the member has left the game. */
  const endLaunch = (): void => setLaunch({ step: 'idle' });

  return { transfer: state, addMoney, play, playIn, playHere, reset, launch, endLaunch, inNewTab };
}
