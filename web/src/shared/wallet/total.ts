import { minorOf } from './minor-of.ts';
import type { Wallet } from './use-wallet.ts';

/** Sum in minor units; undefined if any part is undefined. */
export const sum = (parts: readonly (bigint | undefined)[]): bigint | undefined =>
  parts.reduce<bigint | undefined>(
    (all, part) => (all === undefined || part === undefined ? undefined : all + part),
    0n,
  );

/** Minor units in the games; undefined when an amount is not a number. */
export const inGames = (wallet: Wallet): bigint | undefined => sum(wallet.slots.map((game) => minorOf(game.amount)));

/** Minor units in the wallet and the games; undefined when an amount is not a number. */
export const totalOf = (wallet: Wallet): bigint | undefined => sum([minorOf(wallet.wallet.amount), inGames(wallet)]);
