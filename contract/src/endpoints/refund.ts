import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, cursorPageBody, timesCursor, timestamp } from '../shapes.ts';
import { banner, conditionProgress } from './bonus.ts';

export const checkRefund = endpoint({
  method: 'GET',
  path: '/api/refund/check',
  access: 'member',
  summary: 'The refund of the losses of the last closed period',
  replies: {
    200: z.object({
      /** Whether a refund is available. */
      result: z.boolean(),
      /** Whether a bonus or promotion blocks the refund. */
      bonus: z.boolean(),
      /** The blocking bonus: active, or received in the period. */
      blockedBy: z.enum(['BONUS_ACTIVE', 'BONUS_USED']).nullable(),
      /** The operator's html with the values of the programme, in the member's language. */
      info: z.string(),
      refundAmount: amount,
      /** Percentages of the received amount: the target for a withdrawal, and the floor. */
      refundSuccess: z.number(),
      refundFail: z.number(),
      /** Start and end of the closed period, in days of Asia/Bangkok; the end is exclusive. */
      periodFrom: timestamp,
      periodTo: timestamp,
      /** Whether a claim is not yet credited; `addWallet` completes it. */
      unfinished: z.boolean(),
      condition: conditionProgress.nullable(),
    }),
  },
  errors: ['NO_WALLET'],
  malformed: 'NO_DATA',
});

/** `message`: a phrase key of the app, or a text to show unchanged. */
const receivedRefund = z.object({ message: z.string(), refundAmount: amount, reference: z.string() });

export const receiveRefund = endpoint({
  method: 'GET',
  path: '/api/refund/receive',
  access: 'member',
  summary: 'Receive the refund of the last closed period, once',
  replies: { 200: receivedRefund },
  errors: ['REFUND_INACTIVE', 'REFUND_CONDITION', 'NO_REFUND', 'REFUND_MINIMUM', 'NO_WALLET'],
  malformed: 'NO_DATA',
  changesState: true,
});

export const addRefundToWallet = endpoint({
  method: 'GET',
  path: '/api/refund/addWallet',
  access: 'member',
  summary: 'Complete a claim that is not yet credited',
  replies: { 200: receivedRefund },
  errors: ['NO_REFUND', 'NO_WALLET'],
  malformed: 'NO_DATA',
  changesState: true,
});

export const listRefunds = endpoint({
  method: 'POST',
  path: '/api/refund',
  access: 'member',
  summary: 'Refunds that were received, newest first',
  body: cursorPageBody(timesCursor),
  replies: {
    200: z.object({
      total: z.int(),
      refunds: z.array(z.object({ refundAmount: amount, createdAt: timestamp })),
      next: timesCursor.optional(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const refundBanners = endpoint({
  method: 'GET',
  path: '/api/refund/banners',
  access: 'member',
  summary: 'What the operator shows before the refund',
  replies: { 200: z.array(banner) },
  errors: [],
  malformed: 'NO_DATA',
});
