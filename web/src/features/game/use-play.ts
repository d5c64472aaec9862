import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/lookup.ts';
import { useMoney } from '../../member/money.ts';
import { movedAmount, useTransfer } from '../../shared/transfer.ts';
import { type GameAccount, WALLET } from '../../member/wallet.ts';
import { toast } from '../../ui/core/toast.tsx';
import { hasTabs } from '../../shared/open-tab.ts';
import { type GameWindow, openGameTab, currentTab, resolveLaunchTarget, type LaunchTarget } from './launch.ts';
import type { LaunchFailure } from './launch-outcome.tsx';
import { refreshOnReturn } from '../../member/same-tab-return.ts';

/** Money to move into the game: an amount, or the whole free wallet at the time of execution. */
export type TopUp = { amount: number; isAll: boolean };

/** Result for the money: in the game, pending (the member can't resend it), or neither. */
export type TopUpResult = 'in' | 'underWay' | 'not';

/** State of the last launch. */
export type Launch =
  | { step: 'idle' | 'opening' }
  /** Opened in its own tab; whether that is visible can't be detected. */
  | { step: 'opened' }
  | { step: 'heldBack'; way: LaunchTarget }
  | ({ step: 'failed' } & LaunchFailure);

/** Time in which the app's own page is left, or leaving was cancelled. */
const LEFT_WITHIN_MS = 15_000;

/** Moves money into a game and opens the game in a tab. */
export function usePlay(game: GameAccount) {
  const { t } = useTranslation('game');
  const { text } = useMoney();
  const { state, send, reset } = useTransfer();
  const [launch, setLaunch] = useState<Launch>({ step: 'idle' });
  const { data: site } = useLookup('GET /api/lookup/info', true);
  const inNewTab = site?.gameTab !== 'same' && hasTabs();

  const { name } = game;
  const announced = useRef<string>(undefined);
  useEffect(() => {
    // Texts that load later re-run this effect; a transfer is announced once.
    if (state.status !== 'done' || announced.current === state.reply.reference) return;
    announced.current = state.reply.reference;
    toast.success(t('transferred', { amount: text(movedAmount(state)), name }));
  }, [state, t, text, name]);

  const putIn = async ({ amount, isAll }: TopUp): Promise<TopUpResult> => {
    const { status } = await send({ from: WALLET, to: game.code, amount, ...(isAll && { isAll }) });
    return status === 'done' ? 'in' : status === 'processing' ? 'underWay' : 'not';
  };

  /** Opens the game; with money, after the transfer has succeeded. */
  const open = async (place: GameWindow | undefined, money: TopUp | undefined): Promise<TopUpResult> => {
    setLaunch({ step: 'idle' });
    const end = money ? await putIn(money) : 'not';
    const isMoneyIn = end === 'in';
    if (money && !isMoneyIn) {
      place?.close();
      return end;
    }
    setLaunch({ step: 'opening' });
    try {
      const way = await resolveLaunchTarget(game);
      refreshOnReturn();
      setLaunch(place?.go(way) ? { step: place.isHere ? 'opening' : 'opened' } : { step: 'heldBack', way });
    } catch (failure) {
      place?.close();
      setLaunch({ step: 'failed', failure, isMoneyIn });
    }
    return end;
  };

  const openHere = async (money?: TopUp): Promise<TopUpResult> => {
    const end = await open(currentTab(game.code), money);
    const rest = (): void => setLaunch((now) => (now.step === 'opening' ? { step: 'idle' } : now));
    addEventListener('pageshow', rest, { once: true });
    setTimeout(rest, LEFT_WITHIN_MS);
    return end;
  };

  /** Must be called in a press handler: it opens a tab synchronously. */
  const play = (money?: TopUp): Promise<TopUpResult> =>
    inNewTab ? open(openGameTab(t('launchPage', { name })), money) : openHere(money);

  return { transfer: state, putIn, play, playHere: () => void openHere(), reset, launch, inNewTab };
}
