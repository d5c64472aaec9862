import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, bankAccount, profile, timestamp } from '../shapes.ts';
import { conditionProgress } from './bonus.ts';
import { openWithdrawStates } from '../states.ts';

export const gameCategories = ['slot', 'sport', 'lotto'] as const;

/** A game account as the wallet lists it; `slot` on the wire. */
export const gameAccount = z.object({
  code: z.string(),
  name: z.string(),
  category: z.enum(gameCategories),
  isActive: z.boolean(),
  /** The money that can be moved. */
  amount,
  /**
   * `amount` can be moved to the wallet now: no maintenance, no pending transfer, no open bets where the provider forbids
   * it, and the last refresh succeeded.
   */
  canMoveOut: z.boolean(),
  /** Staked in bets that are still open, as the last refresh found it; not part of `amount`. */
  outstanding: amount,
  /** Stakes of settled bets since the account was opened, as the last refresh found it; null: the provider doesn't tell. */
  turnover: amount.nullable(),
  /** The provider counts amount × this. */
  ftWalletSlot: z.int(),
  logo: z.string(),
  background: z.string(),
  web: z.string().nullable(),
  android: z.string().nullable(),
  ios: z.string().nullable(),
  /** How the game opens, and whether its launch path ends with the password. */
  launch: z.enum(['link', 'form', 'fixed']),
  launchNeedsPassword: z.boolean(),
  /** Shown, but currently it can't be opened or played, and no money moves to or from it. */
  inMaintenance: z.boolean(),
  /**
   * No longer offered, and shown only to members with money there: no money can be moved in and nothing is played, but
   * money can be moved back to the wallet.
   */
  isHidden: z.boolean(),
  /** Stale: the provider didn't answer the last refresh, and the amount is the last known one. */
  isStale: z.boolean(),
  /** Reference of the pending transfer to or from this account, or null. */
  inProgress: z.string().nullable(),
});

export const getWallet = endpoint({
  method: 'GET',
  path: '/api/wallet',
  access: 'member',
  summary: 'The full balance of a member: wallet, game accounts, bank account, invite money',
  reply: {
    200: z.object({
      profile: profile.extend({ coin: z.int() }),
      bankAccount: bankAccount.nullable(),
      /** `amount`: free to use. `inTransit`: on its way to a game or held for a payout, not in `amount`. */
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
      /** Sequence of the last money event included; pass it to the socket to receive only newer ones. */
      eventSequence: z.string(),
      updatedAt: timestamp,
    }),
  },
  errors: ['NO_WALLET'],
  malformed: 'NO_DATA',
});
