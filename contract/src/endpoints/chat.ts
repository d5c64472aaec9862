import { z } from 'zod';
import { cleanChatText } from '../chat-text.ts';
import { CHAT_HISTORY_MAX, CHAT_PAGE_SIZE, CHAT_TEXT_CHARACTERS_MAX } from '../constants.ts';
import { endpoint } from '../endpoint.ts';
import { MONEY_KEY } from '../rules.ts';
import { done, text, timestamp } from '../shapes.ts';

/** Author of a message: the customer (member or visitor), or the support side (people or programs). */
export const chatSenders = ['customer', 'other'] as const;
export type ChatSender = (typeof chatSenders)[number];

export const chatMessageTypes = [
  'text',
  'buttons',
  'media',
  'quick_replies',
  'generic',
  'postback',
  'unknown',
] as const;
export type ChatMessageType = (typeof chatMessageTypes)[number];

export const chatFileTypes = ['image', 'video', 'file'] as const;
export type ChatFileType = (typeof chatFileTypes)[number];

/** Factor by which a sent text may exceed the stored limit, because removed characters do not count. */
const RAW_FACTOR = 4;

/** A typed text, cleaned before it is counted and stored. Lone surrogates are refused. */
const messageText = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax * RAW_FACTOR)
    .regex(/^\P{Surrogate}*$/u)
    .transform(cleanChatText)
    // Counts UTF-16 units, as a browser does; the schema library counts code points.
    .pipe(
      z
        .string()
        .max(charactersMax)
        .refine((cleanText) => cleanText.length <= charactersMax),
    );

const title = messageText(80).pipe(z.string().min(1));
const postbackPayload = text(1_000);

/**
 * Action of a button. `web` opens `url` (http or https) in a new window, `call` dials `phone`, `postback` sends a
 * `postback` message with its `payload`, `other` sends its title as a text.
 */
export const chatButton = z.discriminatedUnion('type', [
  z.object({ type: z.literal('web'), title, url: z.url({ protocol: /^https?$/ }).max(2_000) }),
  z.object({ type: z.literal('call'), title, phone: z.string().regex(/^\+?[\d -]{3,20}$/) }),
  z.object({ type: z.literal('postback'), title, payload: postbackPayload }),
  z.object({ type: z.literal('other'), title }),
]);
export type ChatButton = z.output<typeof chatButton>;

const chatText = z.object({
  message_type: z.literal('text'),
  payload: z.object({ text: messageText(CHAT_TEXT_CHARACTERS_MAX) }),
});
const chatPostback = z.object({
  message_type: z.literal('postback'),
  payload: z.object({ title, payload: postbackPayload }),
});
const mediaPayload = z.object({
  /** Caption of the file; may be empty. */
  message: messageText(CHAT_TEXT_CHARACTERS_MAX).default(''),
  /** Temporary URL of the file; '' when it was deleted. Ignored in messages of customers. */
  url: z.string().max(2_000).default(''),
  fileType: z.enum(chatFileTypes),
  /** `path` of the upload reply; '' for a file that the sender did not upload. */
  filePath: text(200).default(''),
});
const chatMedia = z.object({ message_type: z.literal('media'), payload: mediaPayload });

const BUTTONS_MAX = 6;
const buttonList = z.array(chatButton).max(BUTTONS_MAX);

/** Messages that a customer may send. */
export const customerMessage = z.discriminatedUnion('message_type', [chatText, chatPostback, chatMedia]);
export type CustomerMessage = z.output<typeof customerMessage>;

/** Messages that the support side may send. Its other messages are stored as `unknown`. */
export const supportMessage = z.discriminatedUnion('message_type', [
  chatText,
  chatMedia,
  z.object({
    message_type: z.literal('buttons'),
    payload: z.object({ text: messageText(CHAT_TEXT_CHARACTERS_MAX), buttons: buttonList.min(1) }),
  }),
  z.object({
    message_type: z.literal('quick_replies'),
    payload: z.object({
      text: messageText(CHAT_TEXT_CHARACTERS_MAX),
      /**
       * A chosen reply is sent as a `postback` if it has a payload, else as a text. The replies disappear after the
       * next message.
       */
      quick_replies: z
        .array(z.object({ title, payload: postbackPayload.default('') }))
        .min(1)
        .max(13),
    }),
  }),
  z.object({
    message_type: z.literal('generic'),
    payload: z.object({
      elements: z
        .array(
          z.object({
            title,
            subtitle: messageText(300).default(''),
            /** URL of an image: http or https; '' for none. */
            image_url: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_000)]).default(''),
            buttons: buttonList.default([]),
          }),
        )
        .min(1)
        .max(10),
    }),
  }),
  z.object({ message_type: z.literal('unknown'), payload: z.object({}) }),
]);
export type SupportMessage = z.output<typeof supportMessage>;

/** A message as stored, in the history and on the socket. */
export const chatMessage = z.object({
  _id: z.string(),
  /** Number of the message in its conversation, from 1, without gaps: a client detects missed messages by a gap. */
  sequence: z.int(),
  sender: z.enum(chatSenders),
  message: z.union([customerMessage, supportMessage]),
  /** The member's id, or '' in a visitor's conversation. */
  userId: z.string(),
  /** The visitor's id, or '' in a member's conversation. */
  guestId: z.string(),
  /** Username and name: from our records for a member, self-declared for a visitor. */
  username: z.string(),
  name: z.string(),
  /** Push token of the sender's device, as sent. */
  deviceToken: z.string(),
  /**
   * Idempotency key of the send request, by which the app recognises its own messages; '' for messages of the support
   * side.
   */
  clientId: z.string(),
  session_id: z.string(),
  createdAt: timestamp,
  /** The movement that the customer asks about: `GET /api/money/{key}`. Null for none; absent from older nodes. */
  reference: z.string().nullable().optional(),
});
export type ChatMessage = z.output<typeof chatMessage>;

/** An optional text that clients may also send as null. */
const orEmpty = (charactersMax: number) =>
  text(charactersMax)
    .nullish()
    .transform((value) => value ?? '');

/**
 * Identifies the conversation by own ids or none. Ids of another customer are refused. Without an Authorization header
 * `guestId` identifies the visitor.
 */
const customerIds = { userId: orEmpty(64), guestId: orEmpty(64) };

export const chatConfig = endpoint({
  method: 'GET',
  path: '/api/chat/config',
  access: 'customer',
  summary: 'Configuration of the chat; a new guest-id receives its secret here, once',
  replies: {
    200: z.object({
      /** Prefix of conversation rooms, followed by the member's or visitor's id. */
      PREFIX: z.string(),
      /** Secret of a new guest-id that was sent without one; null otherwise. */
      guestSecret: z.string().nullable(),
      /** Number of unread messages from the support side. */
      unread: z.int(),
      /** Socket URL of the chat backend and the ticket for the customer's room; null without a backend. */
      backend: z.object({ url: z.url(), ticket: z.string() }).nullable(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
  changesState: true,
  acceptsNewVisitors: true,
  acceptsAnonymous: true,
});

export const sendChatMessage = endpoint({
  method: 'POST',
  path: '/api/chat/send-message',
  access: 'customer',
  summary: 'Send a message; a repeated key sends it once',
  body: z.object({
    ...customerIds,
    sender: z.literal('customer').default('customer'),
    message: customerMessage,
    /** Key of the movement of money that the message is about. Support sees the movement if it is the member's own. */
    reference: z.string().regex(MONEY_KEY).nullish(),
    /** Stored as declared for a visitor; our own records are stored for a member. */
    username: messageText(100).nullish(),
    name: messageText(200).nullish(),
    deviceToken: orEmpty(512),
    /** Time on the client's clock; the server stores its own time. */
    createdAt: z.union([z.string().max(40), z.number()]).nullish(),
    /** Generated by the app each time it is opened. */
    session_id: orEmpty(64),
  }),
  replies: { 200: z.object({ _id: z.string(), sequence: z.int(), createdAt: timestamp }) },
  errors: ['INVALID_USER_3', 'REQUEST_LIMIT_1MIN'],
  malformed: 'NO_DATA',
  idempotent: true,
  acceptsAnonymous: true,
});

export const listChatHistory = endpoint({
  method: 'POST',
  path: '/api/chat/history',
  access: 'customer',
  summary: 'The conversation, newest first',
  body: z.object({
    ...customerIds,
    limit: z.int().min(1).max(CHAT_HISTORY_MAX).default(CHAT_PAGE_SIZE),
    /** Number of newest messages to skip. */
    skip: z.int().min(0).max(1_000_000).default(0),
  }),
  replies: { 200: z.array(chatMessage) },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
  acceptsAnonymous: true,
});

const uploadEndpoint = <const Kind extends 'image' | 'video'>(kind: Kind) =>
  endpoint({
    method: 'POST',
    path: `/api/chat/upload-${kind}`,
    access: 'customer',
    summary: `Upload a ${kind} for a message: multipart/form-data with one part named file`,
    replies: { 200: z.object({ path: z.string(), url: z.string() }) },
    errors: ['REQUEST_LIMIT_1MIN'],
    malformed: 'NO_DATA',
    upload: true,
  });

export const uploadChatImage = uploadEndpoint('image');
export const uploadChatVideo = uploadEndpoint('video');

export const readChat = endpoint({
  method: 'PUT',
  path: '/api/chat/read-customer/',
  access: 'customer',
  summary: 'Mark all messages of the other side until now as read',
  body: z.object(customerIds),
  replies: { 200: done },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
  acceptsAnonymous: true,
});
