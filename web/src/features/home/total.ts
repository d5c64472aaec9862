import { minorOf } from '../../shared/wallet/minor-of.ts';
import { inGames, sum, totalOf } from '../../shared/wallet/total.ts';
import type { Wallet } from '../../shared/wallet/use-wallet.ts';

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
export const charactersOf = (balance: string): number => Math.max(balance.length, CHARACTERS_MIN);

/** Adds up a wallet exactly. One amount that is not a number makes its sums unknown rather than wrong. */
export function holdingsOf(wallet: Wallet | undefined): Holdings {
  const free = minorOf(wallet?.wallet.amount);
  const games = wallet && inGames(wallet);
  const held = minorOf(wallet?.wallet.inTransit);
  const withdrawing = wallet && (wallet.withdrawal ? minorOf(wallet.withdrawal.amount) : 0n);
  // Two requests tell the two; one may have ended between them.
  const left = held === undefined || withdrawing === undefined ? held : held - withdrawing;
  const inTransit = left !== undefined && left < 0n ? 0n : left;
  const bets = wallet && sum(wallet.slots.map((game) => minorOf(game.outstanding)));
  return { wallet: free, games, inTransit, withdrawing, bets, total: wallet && totalOf(wallet) };
}
