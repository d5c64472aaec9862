import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from 'wouter/use-browser-location';
import { serverNow } from '../api/call.ts';
import { useOperatorData } from '../api/operator-data.ts';
import { isEmptyGame, nextTopUp, type QuickPlay, requestQuickPlay } from '../member/quick-play.ts';
import { useCurrency } from '../member/use-currency.ts';
import { type GameAccount, useWallet } from '../member/wallet.ts';
import { useBalanceHidden } from './balance-display.tsx';
import { openTab } from './open-tab.ts';

const RECENT_MS = 30 * 24 * 3_600_000;

/** Games played in the last 30 days, the latest first, without hidden games. */
export function recentlyPlayed(games: readonly GameAccount[], nowMs: number): readonly GameAccount[] {
  const launchedMs = ({ launchedAt }: GameAccount): number => (launchedAt ? Date.parse(launchedAt) : 0);
  return games
    .filter((game) => !game.isHidden && nowMs - launchedMs(game) < RECENT_MS)
    .toSorted((one, other) => launchedMs(other) - launchedMs(one));
}

/**
 * The request to play by one press. A game is never opened empty: the member then chooses an amount. Must be called in a
 * press handler, because it opens the tab of the game.
 * @param amount to move in, 0 for none · @param waitingText text in the tab; undefined if games open in the app's own
 */
export const createQuickPlay = (game: GameAccount, amount: number, waitingText: string | undefined): QuickPlay =>
  amount === 0 && isEmptyGame(game)
    ? 'choose'
    : { tab: waitingText === undefined ? undefined : openTab(waitingText), amount };

export type PlayAgain = {
  name: string;
  /** "Play NAME", with the amount that is moved in. */
  label: string;
  /** Opens the dialog of the game, and its tab if there is something to play with. Must be called in a press handler. */
  play: () => void;
};

/** Plays the last game from any page, with the amount of the last time; undefined if none was played lately. */
export function usePlayAgain(): PlayAgain | undefined {
  const { t } = useTranslation(['lobby', 'common']);
  const { format } = useCurrency();
  const isHidden = useBalanceHidden();
  const [nowMs] = useState(serverNow);
  const { data: wallet } = useWallet();
  const { data: site } = useOperatorData('GET /api/lookup/info', true);
  const game = recentlyPlayed(wallet?.slots ?? [], nowMs).find(({ inMaintenance }) => !inMaintenance);
  if (!wallet || !game || game.inProgress) return undefined;
  const { code, name } = game;
  const amount = nextTopUp(game, wallet.wallet.amount);
  const amountText = isHidden ? t('common:amountHidden') : format(amount);
  return {
    name,
    label: amount > 0 ? t('quickPlay', { name, amount: amountText }) : t('quickPlayAgain', { name }),
    play: () => {
      const waitingText = site?.gameTab === 'same' ? undefined : t('opening', { name });
      requestQuickPlay(code, createQuickPlay(game, amount, waitingText));
      navigate(`/user/home#game=${code}`);
    },
  };
}
