import { fromWire, gamesBalance, sumAmounts, totalBalance } from '../../member/amounts.ts';
import type { Wallet } from '../../member/wallet.ts';

/** The member's money by location, in minor units; undefined if the wallet isn't loaded. */
export type Holdings = {
  wallet: bigint | undefined;
  games: bigint | undefined;
  /** Amount of pending transfers between wallet and games. */
  inTransit: bigint | undefined;
  /** Pending withdrawals. */
  withdrawing: bigint | undefined;
  /** Stakes of open bets; they are not part of the total until the bets are settled. */
  bets: bigint | undefined;
  /** Wallet and games, without money in transit. */
  total: bigint | undefined;
};

/** Number of characters that fit at full font size; a longer balance is displayed smaller. */
const BALANCE_CHARACTERS_MIN = 6;

/** Number of characters by which `.fit-amount` selects the font size. */
export const totalCharacters = (balance: string): number => Math.max(balance.length, BALANCE_CHARACTERS_MIN);

/** Adds up a wallet exactly. A sum is undefined if one of its amounts isn't a number. */
export function memberHoldings(wallet: Wallet | undefined): Holdings {
  const walletAmount = fromWire(wallet?.wallet.amount);
  const games = wallet && gamesBalance(wallet);
  const inTransitAndWithdrawing = fromWire(wallet?.wallet.inTransit);
  const withdrawing = wallet && (wallet.withdrawal ? fromWire(wallet.withdrawal.amount) : 0n);
  // The two amounts come from different requests, and a withdrawal may have ended in between: the difference can be
  // negative.
  const transitDifference =
    inTransitAndWithdrawing === undefined || withdrawing === undefined
      ? inTransitAndWithdrawing
      : inTransitAndWithdrawing - withdrawing;
  const inTransit = transitDifference !== undefined && transitDifference < 0n ? 0n : transitDifference;
  const bets = wallet && sumAmounts(wallet.slots.map((game) => fromWire(game.outstanding)));
  return { wallet: walletAmount, games, inTransit, withdrawing, bets, total: wallet && totalBalance(wallet) };
}

/** Id of the element in which the balance is shown before the app loads. */
export const EARLY_BALANCE_ID = 'early-balance';
/** Currency shown before the app loads; other currencies wait for the app. */
export const EARLY_CURRENCY = 'BAHT';
