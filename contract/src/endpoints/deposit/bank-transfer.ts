import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { amount, amountInput, bonusChoice, optionalText, text, timestamp } from '../../shapes.ts';
import type { AnnouncementState } from '../../states.ts';

/** A member's announcement of a bank transfer. It helps matching, and credits nothing on its own. */
export const addDeposit = endpoint({
  method: 'POST',
  path: '/api/wallet/add',
  access: 'member',
  summary: 'Announce that money has been sent, or will be, to one of the receiving accounts',
  body: z.object({
    amount: amountInput.optional(),
    /** Receiving account; undefined: any account. */
    bankCode: optionalText(32),
    bankAccountNo: optionalText(40),
    bonus: bonusChoice,
  }),
  replies: {
    200: z.object({
      reference: z.string(),
      status: z.literal('PROCESSING'),
      amount,
      /**
       * Exact amount to send: slightly more than `amount` (up to 0.99 baht, 99 kip) if two announcements would otherwise be
       * indistinguishable.
       */
      payAmount: amount,
      expireIn: timestamp,
      bonusCode: z.string().nullable().optional(),
    }),
  },
  errors: ['TRANSFER_MINIMUM', 'NO_BANK', 'NO_WALLET', 'NO_PROMOTION', 'BONUS_CONDITION'],
  malformed: 'TRANSFER_MINIMUM',
  idempotent: true,
});

/**
 * OPEN: waiting. EXPIRED: not seen in time; late money is still credited. THIRD_PARTY: another sender sent the amount.
 */
export const announcementStates = [
  'OPEN',
  'MATCHED',
  'EXPIRED',
  'THIRD_PARTY',
] as const satisfies readonly AnnouncementState[];

export const getDepositAnnouncement = endpoint({
  method: 'GET',
  path: '/api/wallet/add/{reference}',
  access: 'member',
  summary: 'State of a notice that money has been sent',
  params: z.object({ reference: text(64).min(1) }),
  replies: {
    200: z.object({
      reference: z.string(),
      state: z.enum(announcementStates),
      /** Whether the money arrived after the announcement had expired. It is credited nevertheless. */
      isLate: z.boolean(),
      amount,
      payAmount: amount,
      expireIn: timestamp,
    }),
  },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
});
