import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors.ts';
import { amount, amountInput } from '../shapes.ts';

/**
 * Why a payout failed, for the statement; the money is back in the wallet. ACCOUNT_UNKNOWN, ACCOUNT_CLOSED,
 * NAME_MISMATCH, RECEIVER_REFUSED: the member's bank account. BANK_REFUSED: our bank did not pay, for any reason: try
 * again. OPERATOR: an operator's decision.
 */
export const withdrawReasons = [
  'ACCOUNT_UNKNOWN',
  'ACCOUNT_CLOSED',
  'NAME_MISMATCH',
  'RECEIVER_REFUSED',
  'BANK_REFUSED',
  'OPERATOR',
] as const;
export type WithdrawReason = (typeof withdrawReasons)[number];

/** If missing, the call fails with TRANSFER_MINIMUM, like any other invalid amount. */
const body = z.object({ amount: amountInput.optional() });

/** The money is held and the payout is pending; an event and the statement report the outcome. */
const requestedWithdrawal = { reference: z.string(), status: z.literal('PROCESSING'), amount };

const withdrawErrors = [
  'NO_WALLET',
  'NO_BANK',
  'TRANSFER_MINIMUM',
  'BONUS_CONDITION',
  'REFUND_CONDITION',
  'MONEY_NOT_ENOUGH',
] as const satisfies readonly ErrorCode[];

export const withdraw = endpoint({
  method: 'POST',
  path: '/api/wallet/withdraw',
  access: 'member',
  summary: 'Pay out money of the wallet to the registered bank account',
  body,
  replies: { 200: z.object(requestedWithdrawal) },
  errors: withdrawErrors,
  malformed: 'TRANSFER_MINIMUM',
  idempotent: true,
});

export const withdrawAll = endpoint({
  method: 'POST',
  path: '/api/wallet/withdrawAll',
  access: 'member',
  summary: 'Move what the wallet lacks from the games, then pay out the amount',
  body,
  replies: {
    200: z.object({
      ...requestedWithdrawal,
      /** Games whose money could not be moved to the wallet, with the reason. The money stays in the game. */
      notBrought: z.array(z.object({ slotCode: z.string(), reason: z.string() })),
    }),
  },
  errors: [...withdrawErrors, 'TRANSFER_FAIL'],
  malformed: 'TRANSFER_MINIMUM',
  idempotent: true,
});

/** Payouts that a median needs. */
export const PAYOUT_SAMPLES_MIN = 5;

export const withdrawAdvice = endpoint({
  method: 'GET',
  path: '/api/withdraw/advice',
  access: 'member',
  summary: "How long the last payouts to the member's bank took",
  replies: {
    200: z.object({
      /** Median time from request to payout of the last week; null with too few payouts, or without a bank account. */
      medianSeconds: z.int().nullable(),
      /** Number of payouts in the median. */
      samples: z.int(),
      /** The stated time, for a payout without a median. */
      statedMinutes: z.int(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});
