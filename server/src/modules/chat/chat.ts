import {
  type ChatButton,
  type ChatMessage,
  type CustomerMessage,
  supportMessage,
  type SupportMessage,
} from '@krapao/contract/endpoints/chat';
import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyBaseLogger } from 'fastify';
import type { ChatBackend } from '../../adapters/chat-backend.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { RewriteAddress } from '../../platform/http/requested-host.ts';
import type { WorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import type { Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import type { OperatorData } from '../operator-data/index.ts';
import type { FindMovement } from './movement.ts';
import type { ReencodedImage } from './reencode-image.ts';

/** Customer of a conversation: kind, and the member's id or the visitor's guest-id. */
export type CustomerRef = { kind: 'member' | 'visitor'; id: string };

export type StoredMessage = {
  id: string;
  conversationId: string;
  sequence: number;
  sender: 'customer' | 'other';
  message: CustomerMessage | SupportMessage;
  /** The sender: the member's stored data at that time, or the data that a visitor entered. */
  username: string;
  name: string;
  deviceToken: string;
  clientId: string;
  sessionId: string;
  /** Key of the movement that a customer's message is about, as claimed. */
  reference: string | null;
  createdAt: Date;
};

/** Id of a reply. The prefixes keep operators' and the backend's ids apart. */
export type ReplyId = `operator:${string}` | `backend:${string}`;

const CONVERSATION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text has the form of a conversation id; others must not reach a query. */
export const isConversationId = (text: string): boolean => CONVERSATION_ID.test(text);

const HTTP_URL = /^https?:\/\//i;

/** Parses a reply by the contract; undefined for an unknown form. A reply can't refer to files of this server. */
export function parseReply(raw: unknown): SupportMessage | undefined {
  const parsed = supportMessage.safeParse(raw);
  if (!parsed.success || !isStorable(parsed.data)) return undefined;
  const { data } = parsed;
  if (data.message_type !== 'media') return data;
  return HTTP_URL.test(data.payload.url) ? { ...data, payload: { ...data.payload, filePath: '' } } : undefined;
}

// PostgreSQL rejects these characters, but a valid URL may contain them.
const isStorable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isStorable)
    : !/[\0\p{Surrogate}]/u.test(String(value));

/** Stored in place of a message of unknown shape. */
export const UNKNOWN_MESSAGE: SupportMessage = { message_type: 'unknown', payload: {} };

/** Converts a stored message to the wire form. */
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
    reference: stored.reference,
    createdAt: stored.createdAt.toISOString(),
  };
}

/** Rewrites the addresses in a message so that the reader can open them. */
export function withRewrittenUrls(message: ChatMessage, rewriteAddress: RewriteAddress): ChatMessage {
  return { ...message, message: rewriteMessageUrls(message.message, rewriteAddress) };
}

function rewriteMessageUrls(message: ChatMessage['message'], rewriteAddress: RewriteAddress): ChatMessage['message'] {
  if (message.message_type === 'media')
    return { ...message, payload: { ...message.payload, url: rewriteAddress(message.payload.url) } };
  if (message.message_type === 'buttons')
    return {
      ...message,
      payload: { ...message.payload, buttons: rewriteButtons(message.payload.buttons, rewriteAddress) },
    };
  if (message.message_type !== 'generic') return message;
  const elements = message.payload.elements.map(({ image_url: imageUrl, buttons, ...element }) => ({
    ...element,
    image_url: rewriteAddress(imageUrl),
    buttons: rewriteButtons(buttons, rewriteAddress),
  }));
  return { ...message, payload: { elements } };
}

const rewriteButtons = (buttons: readonly ChatButton[], rewriteAddress: RewriteAddress): ChatButton[] =>
  buttons.map((button) => (button.type === 'web' ? { ...button, url: rewriteAddress(button.url) } : button));

/** Dependencies of the use cases of `chat`. */
export type ChatDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  /** Storage of customers' files. */
  storage: ObjectStorage;
  /** Re-encodes images. */
  imagePool: Pick<WorkerPool<{ file: Uint8Array; type: ImageFormat }, ReencodedImage>, 'run'>;
  readOperatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'memberById'>;
  /** Movements of money that support sees beside a message. */
  findMovement: FindMovement;
  /** The chat backend; undefined when there is none and operators reply by command. */
  backend: ChatBackend | undefined;
  /** Public base URL of this system. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
};
