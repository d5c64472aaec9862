import { toWire } from '@krapao/contract/money';
import { minorOf } from '../../shared/wallet/minor-of.ts';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';

/** Withdrawable wire amount: the wallet, and games whose money can be moved there now. */
export type FullBalance = {
  total: number;
  inGames: number;
  /** An amount is old or on its way: there may be more than the total says, and only the server knows. */
  isUncertain: boolean;
};

export function fullBalanceOf(wallet: Wallet): FullBalance {
  const games = wallet.slots.filter((game) => game.canMoveOut);
  const inGames = games.reduce((sum, { amount }) => sum + (minorOf(amount) ?? 0n), 0n);
  return {
    total: toWire((minorOf(wallet.wallet.amount) ?? 0n) + inGames),
    inGames: toWire(inGames),
    isUncertain: wallet.slots.some((game) => game.isActive && (game.isStale || game.inProgress !== null)),
  };
}
