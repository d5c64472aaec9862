import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { languages } from '../languages.ts';
import { amount, currency, cursorPageBody, done, numberCursor, text, timestamp } from '../shapes.ts';

/** What a notice reports. `refused`: a withdrawal or a slip; `security`: a change of credentials or of access. */
export const noticeKinds = ['money-in', 'paid-out', 'refused', 'support', 'security'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Kinds that a browser can subscribe to. */
export const pushKinds = [
  'money-in',
  'paid-out',
  'refused',
  'support',
  'security',
] as const satisfies readonly NoticeKind[];
export type PushKind = (typeof pushKinds)[number];

/** What was refused, or changed. */
export const noticeSubjects = [
  'withdraw',
  'slip',
  'password',
  'bankAccount',
  'phone',
  'accountClosed',
  'accountOpened',
  'walletClosed',
  'walletOpened',
] as const;
export type NoticeSubject = (typeof noticeSubjects)[number];

export const noticeFacts = z.object({
  /** Unsigned. */
  amount: amount.optional(),
  currency: currency.optional(),
  /** Bonus that came with the deposit. */
  bonus: amount.optional(),
  subject: z.enum(noticeSubjects).optional(),
  /** Why a slip was refused: its code in the list of slips. */
  reason: z.string().optional(),
});
export type NoticeFacts = z.output<typeof noticeFacts>;

const noticeId = z.string().regex(/^\d{1,18}$/);

export const notice = z.object({
  /** Increases with time; decimal text, because it may exceed 2^53. */
  id: z.string(),
  kind: z.enum(noticeKinds),
  at: timestamp,
  /** For money: the key of `GET /api/money/{key}`. Else opaque. */
  reference: z.string(),
  facts: noticeFacts,
  isRead: z.boolean(),
  /** Address in the app that shows it. */
  target: z.string(),
});

export const listNotices = endpoint({
  method: 'POST',
  path: '/api/notices',
  access: 'member',
  summary: 'Notices of the last 90 days, newest first',
  body: cursorPageBody(numberCursor),
  replies: {
    200: z.object({ total: z.int(), unread: z.int(), notices: z.array(notice), next: numberCursor.optional() }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const readNotices = endpoint({
  method: 'POST',
  path: '/api/notices/read',
  access: 'member',
  summary: 'Marks a notice and older ones as read: down to `from`, or all',
  body: z.object({ until: noticeId, from: noticeId.optional() }),
  replies: { 200: done },
  errors: [],
  malformed: 'NO_DATA',
});

export const getPushKey = endpoint({
  method: 'GET',
  path: '/api/push/key',
  access: 'member',
  summary: 'Public key for subscriptions of browsers (VAPID, base64url); null where no messages are sent',
  replies: { 200: z.object({ publicKey: z.string().nullable() }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const ENDPOINT_CHARACTERS_MAX = 1_024;
const endpointAddress = text(ENDPOINT_CHARACTERS_MAX).min(1);
/** A P-256 point has 65 bytes, a secret 16; padding is allowed. */
const base64url = (characters: number) => z.string().regex(new RegExp(`^[\\w-]{${characters}}={0,2}$`));

const pushPreferences = z.object({
  language: z.enum(languages),
  kinds: z.array(z.enum(pushKinds)).max(pushKinds.length),
  /** Whether messages show amounts, also on a locked screen. */
  withAmounts: z.boolean(),
});

export const getPushSubscription = endpoint({
  method: 'GET',
  path: '/api/push/subscription',
  access: 'member',
  summary: 'The subscription of this session, or null',
  replies: {
    200: z.object({ subscription: pushPreferences.extend({ id: z.uuid(), endpoint: z.string() }).nullable() }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const subscribeToPush = endpoint({
  method: 'PUT',
  path: '/api/push/subscription',
  access: 'member',
  summary: 'Stores or changes the subscription of this session; an endpoint belongs to the last session that sent it',
  body: pushPreferences.extend({
    endpoint: endpointAddress,
    keys: z.object({ p256dh: base64url(87), auth: base64url(22) }),
  }),
  replies: { 200: z.object({ id: z.uuid() }) },
  errors: ['INVALID_USER_INFO'],
  malformed: 'INVALID_USER_INFO',
});

export const unsubscribeFromPush = endpoint({
  method: 'DELETE',
  path: '/api/push/subscription',
  access: 'member',
  summary: "Deletes the member's subscription with an endpoint, if there is one",
  body: z.object({ endpoint: endpointAddress }),
  replies: { 200: done },
  errors: [],
  malformed: 'NO_DATA',
});
