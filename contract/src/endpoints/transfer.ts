import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, amountInput, text } from '../shapes.ts';

const TRANSFER_ERRORS = [
  'TRANSFER_MINIMUM',
  'MONEY_NOT_ENOUGH',
  'SLOT_NO_ACCOUNT',
  'NO_GAME',
  'NO_WALLET',
  'TRANSFER_FAIL',
  'GAME_ACTIVATION_FAIL',
] as const;

export const transferAll = endpoint({
  method: 'POST',
  path: '/api/wallet/transferAll',
  access: 'member',
  summary: 'Move all free money of the wallet into a game account, or all money of a game account to the wallet',
  body: z.object({
    /** Code of a game account; then `to` is WALLET. If missing, the wallet. */
    from: text(32).min(1).optional(),
    to: text(32).min(1),
  }),
  replies: {
    200: z.object({ reference: z.string(), status: z.literal('DONE'), amount }),
    202: z.object({ message: z.literal('PROCESSING'), reference: z.string(), status: z.literal('PROCESSING'), amount }),
  },
  errors: TRANSFER_ERRORS,
  malformed: 'NO_GAME',
  idempotent: true,
});

export const transfer = endpoint({
  method: 'POST',
  path: '/api/wallet/transfer',
  access: 'member',
  summary: 'Move money between the wallet and a game account, or from game to game through the wallet',
  body: z.object({
    /** WALLET or the code of a game account. */
    from: text(32).min(1),
    to: text(32).min(1),
    /** If missing, the call fails with TRANSFER_MINIMUM, like any other invalid amount. */
    amount: amountInput.optional(),
  }),
  replies: {
    200: z.object({ reference: z.string(), status: z.literal('DONE') }),
    /** Not yet confirmed by the provider. The money is held; an event and the statement report the outcome. */
    202: z.object({ message: z.literal('PROCESSING'), reference: z.string(), status: z.literal('PROCESSING') }),
  },
  errors: TRANSFER_ERRORS,
  malformed: 'NO_GAME',
  idempotent: true,
});
