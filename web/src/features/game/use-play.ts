import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/failure.ts';
import { refreshBalances } from '../../api/refresh-balances.ts';
import { useMoney } from '../../api/use-money.ts';
import { useTransfer } from '../../api/use-transfer.ts';
import { type GameAccount, WALLET } from '../../api/wallet.ts';
import { toast } from '../../ui/toast-store.ts';
import { isGameLink, openGameTab } from './game-tab.ts';
import { gameLink } from './launch-game.ts';

/** Money into a game, and the game into a tab. */
export function usePlay(game: GameAccount) {
  const { t } = useTranslation('game');
  const { words } = useMoney();
  const { state, send, reset } = useTransfer();
  const [isLaunching, setLaunching] = useState(false);
  const [heldBack, setHeldBack] = useState<string>();
  const [hasLeft, setLeft] = useState(false);

  const { name } = game;
  useEffect(() => {
    if (state.step === 'done') toast.success(t('transferred', { amount: words(state.input.amount), name }));
  }, [state, t, words, name]);

  // Whoever comes back from a game wants to know what is left.
  useEffect(() => {
    if (!hasLeft) return;
    const onReturn = (): void => {
      if (document.visibilityState === 'visible') void refreshBalances();
    };
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, [hasLeft]);

  /** @returns whether the money is in the game */
  const putIn = async (amount: number): Promise<boolean> => {
    const outcome = await send({ from: WALLET, to: game.code, amount });
    return outcome.step === 'done';
  };

  /** Opens the game; with an amount, only after that is in. Must be called by a press: it opens a tab at once. */
  const play = async (amount: number): Promise<boolean> => {
    setHeldBack(undefined);
    const tab = openGameTab(t('launchPage', { name: game.name }));
    const isIn = amount > 0 && (await putIn(amount));
    if (amount > 0 && !isIn) {
      tab?.close();
      return false;
    }
    setLaunching(true);
    try {
      const link = await gameLink(game);
      if (!isGameLink(link)) throw new Error('the game answered with something that is not a link');
      if (tab) tab.go(link);
      else setHeldBack(link);
      setLeft(true);
    } catch (failure) {
      tab?.close();
      toast.danger(`${t('launchFailed')}: ${failureText(failure)}`);
    } finally {
      setLaunching(false);
    }
    return isIn;
  };

  return { transfer: state, putIn, play, reset, isLaunching, heldBack };
}
