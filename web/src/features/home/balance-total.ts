import { fromWire, inGames, sum, totalBalance } from '../../member/amounts.ts';
import type { Wallet } from '../../member/wallet.ts';

/** Minor units of what a member has, by where it is; undefined where the wallet isn't known. */
export type Holdings = {
  wallet: bigint | undefined;
  games: bigint | undefined;
  /** On its way between the wallet and a game. */
  inTransit: bigint | undefined;
  /** On its way to the bank. */
  withdrawing: bigint | undefined;
  /** Staked in bets that are still open: no longer the member's, until they are decided. */
  bets: bigint | undefined;
  /** Wallet and games. What is in transit comes on top, and is shown as such. */
  total: bigint | undefined;
};

/** For how many characters the balance leaves room at its full size; a longer one is shown smaller. */
const CHARACTERS_MIN = 6;

/** By how many characters the size of a balance is chosen (`.fit-amount`). */
export const totalCharacters = (balance: string): number => Math.max(balance.length, CHARACTERS_MIN);

/** Adds up a wallet exactly. One amount that is not a number makes its sums unknown rather than wrong. */
export function memberHoldings(wallet: Wallet | undefined): Holdings {
  const free = fromWire(wallet?.wallet.amount);
  const games = wallet && inGames(wallet);
  const held = fromWire(wallet?.wallet.inTransit);
  const withdrawing = wallet && (wallet.withdrawal ? fromWire(wallet.withdrawal.amount) : 0n);
  // Two requests tell the two; one may have ended between them.
  const left = held === undefined || withdrawing === undefined ? held : held - withdrawing;
  const inTransit = left !== undefined && left < 0n ? 0n : left;
  const bets = wallet && sum(wallet.slots.map((game) => fromWire(game.outstanding)));
  return { wallet: free, games, inTransit, withdrawing, bets, total: wallet && totalBalance(wallet) };
}

/** Id of the element that shows the balance before the app does. */
export const EARLY_BALANCE_ID = 'early-balance';
/** What the prerendered page says its amount is in; other currencies wait for the app. */
export const EARLY_CURRENCY = 'BAHT';
