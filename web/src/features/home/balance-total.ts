import { fromWire, inGames, sum, totalBalance } from '../../member/amounts.ts';
import type { Wallet } from '../../member/wallet.ts';

/** Minor units by where they are; undefined if the wallet isn't loaded. */
export type Holdings = {
  wallet: bigint | undefined;
  games: bigint | undefined;
  /** Between the wallet and a game. */
  inTransit: bigint | undefined;
  /** Pending withdrawals. */
  withdrawing: bigint | undefined;
  /** Stakes of open bets: not the member's until they are settled. */
  bets: bigint | undefined;
  /** Wallet and games, without money in transit. */
  total: bigint | undefined;
};

/** Characters that fit at full size; a longer balance is displayed smaller. */
const CHARACTERS_MIN = 6;

/** Number of characters that selects the font size (`.fit-amount`). */
export const totalCharacters = (balance: string): number => Math.max(balance.length, CHARACTERS_MIN);

/** Sums up a wallet exactly. An amount that is not a number makes its sums undefined. */
export function memberHoldings(wallet: Wallet | undefined): Holdings {
  const free = fromWire(wallet?.wallet.amount);
  const games = wallet && inGames(wallet);
  const held = fromWire(wallet?.wallet.inTransit);
  const withdrawing = wallet && (wallet.withdrawal ? fromWire(wallet.withdrawal.amount) : 0n);
  // Two requests report the two; one may have ended in between.
  const left = held === undefined || withdrawing === undefined ? held : held - withdrawing;
  const inTransit = left !== undefined && left < 0n ? 0n : left;
  const bets = wallet && sum(wallet.slots.map((game) => fromWire(game.outstanding)));
  return { wallet: free, games, inTransit, withdrawing, bets, total: wallet && totalBalance(wallet) };
}

/** Id of the element that shows the balance before the app loads. */
export const EARLY_BALANCE_ID = 'early-balance';
/** Currency of the prerendered balance; other currencies wait for the app. */
export const EARLY_CURRENCY = 'BAHT';
