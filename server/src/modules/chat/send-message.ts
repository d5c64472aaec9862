import { isBlankChatText } from '@krapao/contract/chat-text';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Customer } from '../../platform/http/caller.ts';
import { hashRequest, type OpenedCommand, runIdempotent } from '../../platform/idempotency.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { countHits, countShared } from '../operator-data/index.ts';
import type { StoredMessage, ChatDeps } from './chat.ts';
import { FILE_HOURS } from './files.ts';
import { markFileUsed, insertCustomerMessage, findMessageByKey, ensureConversation } from './queries.ts';

type SenderIdentity = { username: string; name: string };

export type MessageRequest = {
  customer: Customer;
  message: CustomerMessage;
  /** Key of the movement that the message is about. */
  reference: string | null;
  sessionId: string;
  deviceToken: string;
  /** Identity that a visitor enters; for a member the stored identity is used. */
  claimedIdentity: SenderIdentity;
  /** Idempotency key: a repeated message with the same key is sent once. */
  key: string | undefined;
  /** Address group by which rate limits are counted. */
  group: string;
};

type SentMessage = Pick<StoredMessage, 'id' | 'sequence' | 'createdAt'>;
type StoredContent = { message: CustomerMessage; inputHash: Buffer };

/**
 * Sends a message of a customer.
 * @throws {Refusal} NO_DATA: empty message, or a file of another conversation · KEY_INVALID: the key of another message
 *   · REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function sendMessage(deps: ChatDeps, request: MessageRequest): Promise<SentMessage> {
  const message = toStoredMessage(request.message);
  const { reference } = request;
  // Without a reference the hash is that of older nodes.
  const inputHash = hashRequest(reference === null ? message : { message, reference });
  return runIdempotent<SentMessage, SentMessage>({
    key: request.key,
    requestHash: inputHash,
    find: async (key) => {
      const existingMessage = await findMessageByKey(deps.database, request.customer, key);
      return existingMessage && { row: existingMessage, requestHash: existingMessage.inputHash };
    },
    open: () => openCommand(deps, request, { message, inputHash }),
    toReply: (sentMessage) => sentMessage,
    busyError: () => new Refusal('REQUEST_LIMIT', { retryAfterSeconds: 1 }),
  });
}

async function openCommand(
  deps: ChatDeps,
  request: MessageRequest,
  content: StoredContent,
): Promise<OpenedCommand<SentMessage> | undefined> {
  const { customer, group } = request;
  const callerKey = `${customer.kind}:${customer.id}`;
  // Visitor ids are free, so a share per visitor would be no limit.
  if (customer.kind === 'visitor')
    await countHits(deps, ['chat.address', group], ['chat.customer', callerKey], ['chat.customer.day', callerKey]);
  else
    await countShared(deps, { own: ['chat.customer', 'chat.customer.day'], callerKey, shared: 'chat.address', group });
  const identity = await resolveIdentity(deps, request);
  try {
    return { row: await insertMessage(deps, request, { ...content, identity }), isNew: true };
  } catch (error) {
    // Another node was faster with the same key.
    if (violatedConstraint(error) === 'chat_message_once') return undefined;
    throw error;
  }
}

/** Validates a message and removes the client's URL: only this server determines the URL of a file. */
function toStoredMessage(message: CustomerMessage): CustomerMessage {
  if (message.message_type === 'text' && isBlankChatText(message.payload.text)) {
    throw new Refusal('NO_DATA', { detail: 'BLANK', status: 400 });
  }
  if (message.message_type !== 'media') return message;
  return { ...message, payload: { ...message.payload, url: '' } };
}

async function resolveIdentity(
  { account, database }: ChatDeps,
  { customer, claimedIdentity }: MessageRequest,
): Promise<SenderIdentity> {
  if (customer.kind === 'visitor') return claimedIdentity;
  const member = await account.memberById(database, customer.id);
  return { username: member?.phone ?? '', name: member?.name ?? '' };
}

async function insertMessage(
  { database, clock }: ChatDeps,
  { customer, sessionId, deviceToken, reference, key }: MessageRequest,
  { message, inputHash, identity }: StoredContent & { identity: SenderIdentity },
): Promise<SentMessage> {
  const id = uuidV7(clock.now());
  const newMessage = {
    id,
    sender: 'customer',
    message,
    ...identity,
    deviceToken,
    clientId: key ?? '',
    sessionId,
    reference,
    inputHash,
    answerId: null,
  } as const;
  const insertedMessage =
    message.message_type === 'media' ? undefined : await insertCustomerMessage(database, customer, newMessage);
  if (insertedMessage) return { id, ...insertedMessage };
  return database.tx(async (tx) => {
    const conversationId = await ensureConversation(tx, uuidV7(clock.now()), customer);
    if (message.message_type === 'media') {
      const { filePath: fileKey, fileType: kind } = message.payload;
      const isFileUsable = await markFileUsed(tx, conversationId, { key: fileKey, kind, hours: FILE_HOURS.usable });
      if (!isFileUsable) throw new Refusal('NO_DATA', { detail: 'NO_FILE', status: 400 });
    }
    const insertedRow = await insertCustomerMessage(tx, customer, newMessage);
    if (!insertedRow) throw new Error(`the conversation ${conversationId} is gone`);
    return { id, ...insertedRow };
  });
}
