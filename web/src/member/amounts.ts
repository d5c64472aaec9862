import { type Minor, parseDecimal } from '@krapao/contract/money';
import type { Wallet } from './wallet.ts';

/** Converts a wire amount to minor units. @returns undefined if the amount isn't a number */
export const fromWire = (amount: unknown): Minor | undefined =>
  typeof amount === 'number' ? parseDecimal(String(amount)) : undefined;

/** Adds amounts in minor units; undefined if any amount is undefined. */
export const sumAmounts = (amounts: readonly (bigint | undefined)[]): bigint | undefined =>
  amounts.reduce<bigint | undefined>(
    (total, amount) => (total === undefined || amount === undefined ? undefined : total + amount),
    0n,
  );

/** Total of all game balances in minor units; undefined if any amount isn't a number. */
export const gamesBalance = (wallet: Wallet): bigint | undefined =>
  sumAmounts(wallet.slots.map((game) => fromWire(game.amount)));

/** Total of wallet and game balances in minor units; undefined if any amount isn't a number. */
export const totalBalance = (wallet: Wallet): bigint | undefined =>
  sumAmounts([fromWire(wallet.wallet.amount), gamesBalance(wallet)]);
