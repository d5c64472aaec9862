import {
  type ChatButton,
  type ChatMessage,
  type CustomerMessage,
  otherMessage,
  type OtherMessage,
} from '@krapao/contract/endpoints/chat';
import type { RewriteAddress } from '../../platform/http/requested-host.ts';
import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { WorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { ChatBackend } from '../../adapters/chat-backend.ts';
import type { AccountModule } from '../account/index.ts';
import type { SiteConfig } from '../lookup/index.ts';
import type { ReencodedImage } from './redraw-image.ts';

/** Whose conversation: the kind of customer, and the member's id or the visitor's guest-id. */
export type CustomerRef = { kind: 'member' | 'visitor'; id: string };

/** A message as it is stored. */
export type StoredMessage = {
  id: string;
  conversationId: string;
  sequence: number;
  sender: 'customer' | 'other';
  message: CustomerMessage | OtherMessage;
  /** Who sent it: a member by our records of that moment, a visitor as they said it. */
  username: string;
  name: string;
  deviceToken: string;
  clientId: string;
  sessionId: string;
  createdAt: Date;
};

/** An operator's own or the chat backend's: ids of one can't be taken for those of the other. */
export type ReplyId = `operator:${string}` | `backend:${string}`;

const CONVERSATION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text could be the id of a conversation; others may not get as far as a query. */
export const isConversationId = (text: string): boolean => CONVERSATION_ID.test(text);

const HTTP = /^https?:\/\//i;

/** Parses a reply by the contract; undefined for an unknown form. Files of this server are not part of it. */
export function parseReply(raw: unknown): OtherMessage | undefined {
  const parsed = otherMessage.safeParse(raw);
  if (!parsed.success || !canBeKept(parsed.data)) return undefined;
  const { data } = parsed;
  if (data.message_type !== 'media') return data;
  return HTTP.test(data.payload.url) ? { ...data, payload: { ...data.payload, filePath: '' } } : undefined;
}

// No database takes these; an address may have them and be one all the same.
const canBeKept = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(canBeKept)
    : !/[\0\p{Surrogate}]/u.test(String(value));

/** What is stored of a message of unknown shape. */
export const UNKNOWN_MESSAGE: OtherMessage = { message_type: 'unknown', payload: {} };

/** A message as it goes to its customer. */
export function toWireMessage({ kind, id }: CustomerRef, stored: StoredMessage): ChatMessage {
  return {
    _id: stored.id,
    sequence: stored.sequence,
    sender: stored.sender,
    message: stored.message,
    userId: kind === 'member' ? id : '',
    guestId: kind === 'visitor' ? id : '',
    username: stored.username,
    name: stored.name,
    deviceToken: stored.deviceToken,
    clientId: stored.clientId,
    session_id: stored.sessionId,
    createdAt: stored.createdAt.toISOString(),
  };
}

/** A message with its addresses rewritten so that the reader can open them. */
export function withRewrittenUrls(said: ChatMessage, rewriteAddress: RewriteAddress): ChatMessage {
  return { ...said, message: withAddresses(said.message, rewriteAddress) };
}

function withAddresses(message: ChatMessage['message'], rewriteAddress: RewriteAddress): ChatMessage['message'] {
  if (message.message_type === 'media')
    return { ...message, payload: { ...message.payload, url: rewriteAddress(message.payload.url) } };
  if (message.message_type === 'buttons')
    return {
      ...message,
      payload: { ...message.payload, buttons: rewriteButtons(message.payload.buttons, rewriteAddress) },
    };
  if (message.message_type !== 'generic') return message;
  const elements = message.payload.elements.map(({ image_url: picture, buttons, ...element }) => ({
    ...element,
    image_url: rewriteAddress(picture),
    buttons: rewriteButtons(buttons, rewriteAddress),
  }));
  return { ...message, payload: { elements } };
}

const rewriteButtons = (buttons: readonly ChatButton[], rewriteAddress: RewriteAddress): ChatButton[] =>
  buttons.map((button) => (button.type === 'web' ? { ...button, url: rewriteAddress(button.url) } : button));

/** What the use cases of `chat` work with. */
export type ChatDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  /** Where files of customers are kept. */
  storage: ObjectStorage;
  /** Re-encodes images. */
  drawer: Pick<WorkerPool<{ file: Uint8Array; type: ImageFormat }, ReencodedImage>, 'run'>;
  operatorData: () => Promise<SiteConfig>;
  account: Pick<AccountModule, 'memberById'>;
  /** Where people of support answer, when there is such a place; without it operators answer by command. */
  backend: ChatBackend | undefined;
  /** Where this system is reached from outside. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
};
