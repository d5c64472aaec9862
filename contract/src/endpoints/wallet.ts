import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, bankAccount, profile, timestamp } from '../shapes.ts';
import { openWithdrawStates } from '../states.ts';
import { conditionProgress } from './bonus.ts';

export const gameCategories = ['slot', 'sport', 'lotto'] as const;

/** A game account in the wallet; `slot` on the wire. */
export const gameAccount = z.object({
  code: z.string(),
  name: z.string(),
  category: z.enum(gameCategories),
  isActive: z.boolean(),
  /** Amount that can be moved. */
  amount,
  /**
   * Whether `amount` can be moved to the wallet now: no maintenance, no pending transfer, no open bets where the
   * provider forbids it, and the last refresh succeeded.
   */
  canMoveOut: z.boolean(),
  /** Stakes of open bets at the last refresh; not part of `amount`. */
  outstanding: amount,
  /** Stakes of settled bets since the account was opened, at the last refresh; null: the provider doesn't report it. */
  turnover: amount.nullable(),
  /** Factor between `amount` and the provider's credits. */
  ftWalletSlot: z.int(),
  logo: z.string(),
  background: z.string(),
  web: z.string().nullable(),
  android: z.string().nullable(),
  ios: z.string().nullable(),
  /** How the game opens, and whether the password is the end of its launch path. */
  launch: z.enum(['link', 'form', 'fixed']),
  launchNeedsPassword: z.boolean(),
  /** Shown, but the game can't be opened, and no money moves to or from it. */
  inMaintenance: z.boolean(),
  /**
   * No longer offered, and shown only to members with money in it: money can be moved back to the wallet, but nothing
   * else is possible.
   */
  isHidden: z.boolean(),
  /** The provider didn't reply to the last refresh, so `amount` is the last known amount. */
  isStale: z.boolean(),
  /** When the member last opened the game; null: never. */
  launchedAt: timestamp.nullable(),
  /** Amount of the last transfer into the game; null: none yet. */
  lastTopUp: amount.nullable(),
  isFavourite: z.boolean(),
  /** When a game in maintenance is expected to open, if that is known. */
  closedUntil: timestamp.nullable(),
  /** Reference of the pending transfer to or from this account, or null. */
  inProgress: z.string().nullable(),
});

export const getWallet = endpoint({
  method: 'GET',
  path: '/api/wallet',
  access: 'member',
  summary: 'The full balance of a member: wallet, game accounts, bank account, invite money',
  replies: {
    200: z.object({
      profile: profile.extend({ coin: z.int() }),
      bankAccount: bankAccount.nullable(),
      /** `amount`: free to use. `inTransit`: on its way to a game or held for a payout; not part of `amount`. */
      wallet: z.object({ amount, inTransit: amount }),
      /** Withdrawable now: wallet and games with `canMoveOut`; 0 while a condition is open. */
      withdrawable: amount,
      /** Conditions that block withdrawals, oldest first, from stored data. */
      conditions: z.array(conditionProgress),
      invite: z.object({ amount, success: z.number(), fail: z.number() }),
      slots: z.array(gameAccount),
      /** The pending withdrawal, or null. Its money is part of `inTransit`. */
      withdrawal: z
        .object({ reference: z.string(), amount, state: z.enum(openWithdrawStates), createdAt: timestamp })
        .nullable(),
      /** Sequence of the last included money event; pass it to the socket to receive only newer events. */
      eventSequence: z.string(),
      updatedAt: timestamp,
    }),
  },
  errors: ['NO_WALLET'],
  malformed: 'NO_DATA',
});
