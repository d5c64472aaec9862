import { minorOf, type Wallet } from '../../api/wallet.ts';

/** Minor units of what a member has, by where it is; undefined where the wallet isn't known. */
export type Holdings = {
  wallet: bigint | undefined;
  games: bigint | undefined;
  inTransit: bigint | undefined;
  /** Wallet and games. What is in transit comes on top, and is shown as such. */
  total: bigint | undefined;
};

const sum = (parts: readonly (bigint | undefined)[]): bigint | undefined =>
  parts.reduce<bigint | undefined>(
    (all, part) => (all === undefined || part === undefined ? undefined : all + part),
    0n,
  );

/** Adds up a wallet exactly. One amount that is not a number makes its sums unknown rather than wrong. */
export function holdingsOf(wallet: Wallet | undefined): Holdings {
  const free = minorOf(wallet?.wallet.amount);
  const games = wallet && sum(wallet.slots.map((game) => minorOf(game.amount)));
  return { wallet: free, games, inTransit: minorOf(wallet?.wallet.inTransit), total: sum([free, games]) };
}
