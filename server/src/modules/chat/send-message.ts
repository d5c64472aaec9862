import { isBlankChatText } from '@krapao/contract/chat-text';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { violatedConstraint } from '../../platform/database/database.ts';
import type { Customer } from '../../platform/http/caller.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/errors.ts';
import { hashRequest, type OpenedCommand, runIdempotent } from '../../platform/idempotency.ts';
import type { StoredMessage, ChatDeps } from './chat.ts';
import { countHits, countShared } from '../lookup/index.ts';
import { FILE_HOURS } from './files.ts';
import { useFile, insertCustomerMessage, findByKey, openConversation } from './queries.ts';

type Identity = { username: string; name: string };

export type Sending = {
  customer: Customer;
  message: CustomerMessage;
  sessionId: string;
  deviceToken: string;
  /** Who a visitor says they are; a member's own records are used instead. */
  said: Identity;
  /** Under it the same message is sent once. */
  key: string | undefined;
  /** What the limits of an address are counted by. */
  group: string;
};

type Sent = Pick<StoredMessage, 'id' | 'sequence' | 'createdAt'>;
type Kept = { message: CustomerMessage; inputHash: Buffer };

/**
 * Sends a message of a customer.
 * @throws {Refusal} NO_DATA: nothing in it, or a file that is not of this conversation · KEY_INVALID: the key was another
 * message's · REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function sendMessage(deps: ChatDeps, sending: Sending): Promise<Sent> {
  const message = keptOf(sending.message);
  const inputHash = hashRequest(message);
  return runIdempotent<Sent, Sent>({
    key: sending.key,
    requestHash: inputHash,
    find: async (key) => {
      const known = await findByKey(deps.database, sending.customer, key);
      return known && { row: known, requestHash: known.inputHash };
    },
    open: () => open(deps, sending, { message, inputHash }),
    toReply: (sent) => sent,
    busyError: () => new Refusal('REQUEST_LIMIT', { retryAfterSeconds: 1 }),
  });
}

async function open(deps: ChatDeps, sending: Sending, kept: Kept): Promise<OpenedCommand<Sent> | undefined> {
  const { customer, group } = sending;
  const whom = `${customer.kind}:${customer.id}`;
  // Visitor ids are free: a share per visitor would be no bound.
  if (customer.kind === 'visitor')
    await countHits(deps, ['chat.address', group], ['chat.customer', whom], ['chat.customer.day', whom]);
  else await countShared(deps, { own: ['chat.customer', 'chat.customer.day'], whom, shared: 'chat.address', group });
  const identity = await identityOf(deps, sending);
  try {
    return { row: await enter(deps, sending, { ...kept, identity }), isNew: true };
  } catch (error) {
    // Another node was faster with the same key.
    if (violatedConstraint(error) === 'chat_message_once') return undefined;
    throw error;
  }
}

/** What is kept of what was sent: where a file can be seen is ours to say. */
function keptOf(message: CustomerMessage): CustomerMessage {
  if (message.message_type === 'text' && isBlankChatText(message.payload.text)) {
    throw new Refusal('NO_DATA', { detail: 'BLANK', status: 400 });
  }
  if (message.message_type !== 'media') return message;
  return { ...message, payload: { ...message.payload, url: '' } };
}

async function identityOf({ account, database }: ChatDeps, { customer, said }: Sending): Promise<Identity> {
  if (customer.kind === 'visitor') return said;
  const member = await account.memberById(database, customer.id);
  return { username: member?.phone ?? '', name: member?.name ?? '' };
}

async function enter(
  { database, clock }: ChatDeps,
  { customer, sessionId, deviceToken, key }: Sending,
  { message, inputHash, identity }: Kept & { identity: Identity },
): Promise<Sent> {
  const id = uuidV7(clock.now());
  const entering = {
    id,
    sender: 'customer',
    message,
    ...identity,
    deviceToken,
    clientId: key ?? '',
    sessionId,
    inputHash,
    answerId: null,
  } as const;
  const known =
    message.message_type === 'media' ? undefined : await insertCustomerMessage(database, customer, entering);
  if (known) return { id, ...known };
  return database.tx(async (tx) => {
    const conversationId = await openConversation(tx, uuidV7(clock.now()), customer);
    if (message.message_type === 'media') {
      const { filePath: file, fileType: kind } = message.payload;
      const isOwn = await useFile(tx, conversationId, { key: file, kind, hours: FILE_HOURS.nameable });
      if (!isOwn) throw new Refusal('NO_DATA', { detail: 'NO_FILE', status: 400 });
    }
    const entered = await insertCustomerMessage(tx, customer, entering);
    if (!entered) throw new Error(`the conversation ${conversationId} is gone`);
    return { id, ...entered };
  });
}
