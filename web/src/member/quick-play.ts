import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { GameAccount } from './wallet.ts';

/**
 * A request to play: the tab opened for the game, if any, and the amount to transfer (0: none). `choose`: the member
 * first chooses an amount.
 */
export type QuickPlay = { tab: Window | undefined; amount: number } | 'choose';

let requested: { code: string; quickPlay: QuickPlay } | undefined;

/** Requests to play a game, before navigating to the home page. */
export function requestQuickPlay(code: string, quickPlay: QuickPlay): void {
  requested = { code, quickPlay };
}

/** The request of another page to play this game, once. */
export function takeQuickPlay(code: string): QuickPlay | undefined {
  const quickPlay = requested?.code === code ? requested.quickPlay : undefined;
  requested = undefined;
  return quickPlay;
}

type PlayedGame = Pick<GameAccount, 'amount' | 'isStale' | 'lastTopUp'>;

/**
 * Amount that fills a game up to its last top-up, limited by the wallet.
 * @param free free amount of the wallet
 * @returns 0 without an earlier top-up, below the minimum of a transfer, or if the game still holds half of the last one
 */
export function nextTopUp({ amount, lastTopUp }: PlayedGame, free: number): number {
  if (!lastTopUp || amount * 2 >= lastTopUp) return 0;
  const cents = Math.min(Math.round((lastTopUp - amount) * 100), Math.round(free * 100));
  return cents < TRANSFER_MINIMUM * 100 ? 0 : cents / 100;
}

/** Whether the game holds nothing to play with. A stale balance may be higher. */
export const isEmptyGame = ({ amount, isStale }: PlayedGame): boolean => !isStale && amount < TRANSFER_MINIMUM;
