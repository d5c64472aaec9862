import { type Minor, parseDecimal } from '@krapao/contract/money';
import type { Wallet } from './wallet.ts';

/** Minor units of a wire amount. @returns undefined if it isn't a number */
export const fromWire = (amount: unknown): Minor | undefined =>
  typeof amount === 'number' ? parseDecimal(String(amount)) : undefined;

/** Sum in minor units; undefined if any part is undefined. */
export const sum = (parts: readonly (bigint | undefined)[]): bigint | undefined =>
  parts.reduce<bigint | undefined>(
    (all, part) => (all === undefined || part === undefined ? undefined : all + part),
    0n,
  );

/** Minor units in the games; undefined when an amount is not a number. */
export const inGames = (wallet: Wallet): bigint | undefined => sum(wallet.slots.map((game) => fromWire(game.amount)));

/** Minor units in the wallet and the games; undefined when an amount is not a number. */
export const totalBalance = (wallet: Wallet): bigint | undefined =>
  sum([fromWire(wallet.wallet.amount), inGames(wallet)]);
