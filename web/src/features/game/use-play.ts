import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/lookup.ts';
import { useMoney } from '../../member/money.ts';
import { useTransfer } from '../../shared/transfer.ts';
import { type GameAccount, WALLET } from '../../member/wallet.ts';
import { toast } from '../../ui/core/toast.tsx';
import { hasTabs } from '../../shared/open-tab.ts';
import { type GameWindow, openGameTab, currentTab, resolveLaunchTarget, type LaunchTarget } from './launch.ts';
import type { LaunchFailure } from './launch-outcome.tsx';
import { refreshOnReturn } from '../../member/same-tab-return.ts';

/** Money to put into the game: an amount, or whatever is free in the wallet when the server gets to it. */
export type TopUp = { amount: number; isAll: boolean };

/** Where the money is: in the game, in transit (the member can't send it again), or neither. */
export type TopUpResult = 'in' | 'underWay' | 'not';

/** How the last press of "play" went. */
export type Launch =
  | { step: 'idle' | 'opening' }
  /** In a tab of its own; whether it is visible can't be detected. */
  | { step: 'opened' }
  | { step: 'heldBack'; way: LaunchTarget }
  | ({ step: 'failed' } & LaunchFailure);

/** By then a page that was to be left has been, or the person has stopped it. */
const LEFT_WITHIN_MS = 15_000;

/** Money into a game, and the game into a tab. */
export function usePlay(game: GameAccount) {
  const { t } = useTranslation('game');
  const { text } = useMoney();
  const { state, send, reset } = useTransfer();
  const [launch, setLaunch] = useState<Launch>({ step: 'idle' });
  const { data: site } = useLookup('GET /api/lookup/info', true);
  const inNewTab = site?.gameTab !== 'same' && hasTabs();

  const { name } = game;
  const told = useRef<string>(undefined);
  useEffect(() => {
    // Words that load later run this again; a transfer is announced once.
    if (state.step !== 'done' || told.current === state.reference) return;
    told.current = state.reference;
    toast.success(t('transferred', { amount: text(state.input.amount), name }));
  }, [state, t, text, name]);

  const putIn = async ({ amount, isAll }: TopUp): Promise<TopUpResult> => {
    const { step } = await send({ from: WALLET, to: game.code, amount, ...(isAll && { isAll }) });
    return step === 'done' ? 'in' : step === 'processing' ? 'underWay' : 'not';
  };

  /** Opens the game; with money, only after that is in. */
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

  /** Must be called by a press: it opens a tab at once. */
  const play = (money?: TopUp): Promise<TopUpResult> =>
    inNewTab ? open(openGameTab(t('launchPage', { name })), money) : openHere(money);

  return { transfer: state, putIn, play, playHere: () => void openHere(), reset, launch, inNewTab };
}
