import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { GameAccount } from './wallet.ts';

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
