import { z } from 'zod';
import { cleanChatText } from '../chat-text.ts';
import { CHAT_HISTORY_MAX, CHAT_PAGE_SIZE, CHAT_TEXT_CHARACTERS_MAX } from '../constants.ts';
import { endpoint } from '../endpoint.ts';
import { done, text, timestamp } from '../shapes.ts';

/** Who wrote a message: the customer (a member or a visitor), or the other side (people or programs of support). */
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

/** So much longer may a text come than it is kept: what is taken out of it does not count. */
const RAW_FACTOR = 4;

/** A text as people type it; what is kept and counted is cleaned. Halves of a character are refused. */
const words = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax * RAW_FACTOR)
    .regex(/^\P{Surrogate}*$/u)
    .transform(cleanChatText)
    // Units of UTF-16, as a browser counts; the schema library counts whole characters.
    .pipe(
      z
        .string()
        .max(charactersMax)
        .refine((kept) => kept.length <= charactersMax),
    );

const title = words(80).pipe(z.string().min(1));
const postbackPayload = text(1_000);

/**
 * What a button does. `web` opens `url` (http or https) in a new window, `call` dials `phone`, `postback` sends a
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
  payload: z.object({ text: words(CHAT_TEXT_CHARACTERS_MAX) }),
});
const chatPostback = z.object({
  message_type: z.literal('postback'),
  payload: z.object({ title, payload: postbackPayload }),
});
const media = z.object({
  /** Words with the file; may be empty. */
  message: words(CHAT_TEXT_CHARACTERS_MAX).default(''),
  /** Where it can be seen, for a while; '' when it is gone. What a customer sends here is not looked at. */
  url: z.string().max(2_000).default(''),
  fileType: z.enum(chatFileTypes),
  /** What the upload answered as `path`; '' for a file that is somebody else's. */
  filePath: text(200).default(''),
});
const chatMedia = z.object({ message_type: z.literal('media'), payload: media });

const BUTTONS_MAX = 6;
const buttons = z.array(chatButton).max(BUTTONS_MAX);

/** What a customer may send. */
export const customerMessage = z.discriminatedUnion('message_type', [chatText, chatPostback, chatMedia]);
export type CustomerMessage = z.output<typeof customerMessage>;

/** What the other side may send. Whatever else it sends is kept as `unknown`. */
export const otherMessage = z.discriminatedUnion('message_type', [
  chatText,
  chatMedia,
  z.object({
    message_type: z.literal('buttons'),
    payload: z.object({ text: words(CHAT_TEXT_CHARACTERS_MAX), buttons: buttons.min(1) }),
  }),
  z.object({
    message_type: z.literal('quick_replies'),
    payload: z.object({
      text: words(CHAT_TEXT_CHARACTERS_MAX),
      /** One that is chosen is sent as a `postback` when it has a payload, else as a text. They go when anything follows. */
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
            subtitle: words(300).default(''),
            /** A picture: http or https; '' for none. */
            image_url: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_000)]).default(''),
            buttons: buttons.default([]),
          }),
        )
        .min(1)
        .max(10),
    }),
  }),
  z.object({ message_type: z.literal('unknown'), payload: z.object({}) }),
]);
export type OtherMessage = z.output<typeof otherMessage>;

/** A message as it is stored, told in the history and by the socket. */
export const chatMessage = z.object({
  _id: z.string(),
  /** Counts the messages of a conversation from 1, without gaps: whoever misses a number has missed a message. */
  sequence: z.int(),
  sender: z.enum(chatSenders),
  message: z.union([customerMessage, otherMessage]),
  /** The member's id, or '' in a visitor's conversation. */
  userId: z.string(),
  /** The visitor's id, or '' in a member's conversation. */
  guestId: z.string(),
  /** A member's by our records; a visitor's as they said it. The same holds for the name. */
  username: z.string(),
  name: z.string(),
  /** Where the device of the sender takes notices; opaque, as it was sent. */
  deviceToken: z.string(),
  /** Of the request that sent it, so that the app knows its own again; '' for the other side's. */
  clientId: z.string(),
  session_id: z.string(),
  createdAt: timestamp,
});
export type ChatMessage = z.output<typeof chatMessage>;

/** An optional text for which clients also send null. */
const orEmpty = (charactersMax: number) =>
  text(charactersMax)
    .nullish()
    .transform((sent) => sent ?? '');

/**
 * Whose conversation: own ids or none. Naming another's is refused, never obeyed. Without an Authorization header `guestId`
 * says who the visitor is.
 */
const whose = { userId: orEmpty(64), guestId: orEmpty(64) };

export const chatConfig = endpoint({
  method: 'GET',
  path: '/api/chat/config',
  access: 'customer',
  summary: 'What the chat needs to begin; a guest-id that is new gets its secret here, once',
  reply: {
    200: z.object({
      /** A conversation's room is this and the member's or the visitor's id. */
      PREFIX: z.string(),
      /** For a guest-id that came without a secret and is new; null otherwise. */
      guestSecret: z.string().nullable(),
      /** Messages of the other side that were not read. */
      unread: z.int(),
      /** A chat backend with a socket of its own, and what lets the customer into their room there; null where there is none. */
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
    ...whose,
    sender: z.literal('customer').default('customer'),
    message: customerMessage,
    /** Kept for a visitor, as they say it; for a member our own records are kept instead. */
    username: words(100).nullish(),
    name: words(200).nullish(),
    deviceToken: orEmpty(512),
    /** The client's clock. Our own is kept. */
    createdAt: z.union([z.string().max(40), z.number()]).nullish(),
    /** Of the app: made for each opening of it. */
    session_id: orEmpty(64),
  }),
  reply: { 200: z.object({ _id: z.string(), sequence: z.int(), createdAt: timestamp }) },
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
    ...whose,
    limit: z.int().min(1).max(CHAT_HISTORY_MAX).default(CHAT_PAGE_SIZE),
    /** How many of the newest to leave out. */
    skip: z.int().min(0).max(1_000_000).default(0),
  }),
  reply: { 200: z.array(chatMessage) },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
  acceptsAnonymous: true,
});

const upload = <const Kind extends 'image' | 'video'>(kind: Kind) =>
  endpoint({
    method: 'POST',
    path: `/api/chat/upload-${kind}`,
    access: 'customer',
    summary: `Upload a ${kind} for a message: multipart/form-data with one part named file`,
    reply: { 200: z.object({ path: z.string(), url: z.string() }) },
    errors: ['REQUEST_LIMIT_1MIN'],
    malformed: 'NO_DATA',
    upload: true,
  });

export const uploadChatImage = upload('image');
export const uploadChatVideo = upload('video');

export const readChat = endpoint({
  method: 'PUT',
  path: '/api/chat/read-customer/',
  access: 'customer',
  summary: 'The customer has read all that the other side wrote until now',
  body: z.object(whose),
  reply: { 200: done },
  errors: ['INVALID_USER_3'],
  malformed: 'NO_DATA',
  acceptsAnonymous: true,
});
