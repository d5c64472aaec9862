import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { MONEY_KEY } from '../rules.ts';
import { amount, currency, timestamp, usualTime } from '../shapes.ts';
import { statementStatuses } from '../statement.ts';
import { chosenBonus } from './bonus.ts';

/** What can be open. `notice`: an announced bank transfer. */
export const pendingKinds = ['qr', 'notice', 'slip', 'gift', 'withdraw', 'transfer'] as const;
export type PendingKind = (typeof pendingKinds)[number];

/** `deposit`: received without an announcement or slip. `bonus`: an incentive. */
export const timelineKinds = [...pendingKinds, 'deposit', 'bonus'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** Steps of a timeline, by what has happened at their time. */
export const timelineStepNames = [
  'created',
  'announced',
  'uploaded',
  'received',
  'requested',
  'granted',
  'transferred',
  'seen',
  'redeemed',
  'paid',
  'sent',
  'leftWallet',
  'leftGame',
  'inGame',
  'inWallet',
  'credited',
  'paidOut',
  'returned',
  'stayed',
  'cancelled',
  'expired',
  'thirdParty',
  'refused',
  'ended',
] as const;
export type TimelineStepName = (typeof timelineStepNames)[number];

/** Items in a reply; `more` counts the others. */
export const PENDING_MAX = 20;

export const pendingItem = z.object({
  /** Of `GET /api/money/{key}`. */
  key: z.string(),
  kind: z.enum(pendingKinds),
  /** By the table of its kind in `states.ts`. */
  state: z.string(),
  /** The requested amount; null while it is unknown. */
  amount: amount.nullable(),
  /** The exact amount to pay; null when the member pays nothing. */
  payAmount: amount.nullable(),
  /** Gateway, game or bank, spelled as in the statement; null when unknown. */
  place: z.string().nullable(),
  since: timestamp,
  /** When most such items have ended; null when too few have. */
  expectedBy: timestamp.nullable(),
  /** End of the time to pay. */
  expiresAt: timestamp.nullable(),
  /** Address in the app that shows it; null: its timeline. */
  target: z.string().nullable(),
});

export const listPending = endpoint({
  method: 'GET',
  path: '/api/pending',
  access: 'member',
  summary: 'Open deposits, withdrawals and transfers, newest first',
  replies: { 200: z.object({ at: timestamp, more: z.int(), items: z.array(pendingItem) }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const timelineItem = z.object({
  key: z.string(),
  kind: z.enum(timelineKinds),
  status: z.enum(statementStatuses),
  /** Signed effect on the wallet; 0 before the credit and after a failure. */
  amount,
  /** The requested amount, unsigned; null while it is unknown. */
  requested: amount.nullable(),
  currency,
  /** As in the statement. */
  from: z.string(),
  to: z.string(),
  /** The bank account outside, masked; null without one. */
  account: z.string().nullable(),
  /** Code of the account's bank: with a deposit the payer's. Null while it is unknown. */
  bank: z.string().nullable().optional(),
  reference: z.string(),
  bankReference: z.string().nullable(),
  /** Why it failed: a code. */
  reason: z.string().nullable(),
  /** Open and past `expectedBy`. */
  isLate: z.boolean(),
  expectedBy: timestamp.nullable(),
  /** Of deposits and withdrawals by its method; null for others. */
  usualTime: usualTime.nullable().optional(),
  /** In order. `at` is null when the time was not stored. */
  steps: z.array(z.object({ name: z.enum(timelineStepNames), at: timestamp.nullable(), isDone: z.boolean() })),
  /** Other keys of the same item. */
  links: z.array(z.string()),
  /** Chosen with the deposit; null without a choice. */
  bonus: chosenBonus.nullable().optional(),
});

export const getTimeline = endpoint({
  method: 'GET',
  path: '/api/money/{key}',
  access: 'member',
  summary: 'One movement of money with the times of its steps',
  params: z.object({ key: z.string().regex(MONEY_KEY) }),
  replies: { 200: timelineItem },
  errors: [],
  malformed: 'NO_DATA',
});
