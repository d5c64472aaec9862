import { isBlankChatText } from '@krapao/contract/chat-text';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { violatedConstraint } from '../../platform/database/database.ts';
import type { Customer } from '../../platform/http/caller/customer.ts';
import { hashToken, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { StoredMessage } from './chat.ts';
import type { ChatDeps } from './chat-deps.ts';
import { FILE_HOURS } from './chat-file.ts';
import { countHit } from './count-hit.ts';
import { useFile } from './file-queries.ts';
import { findByKey, insertMessage, nextOfCustomer, openConversation } from './queries.ts';

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

/**
 * Sends a message of a customer.
 * @throws {Refusal} NO_DATA: nothing in it, or a file that is not of this conversation · KEY_INVALID: the key was another
 * message's · REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function sendMessage(deps: ChatDeps, sending: Sending): Promise<Sent> {
  const { customer, group } = sending;
  const message = keptOf(sending.message);
  const inputHash = hashToken(JSON.stringify(message));
  const known = await repeatOf(deps, sending, inputHash);
  if (known) return known;
  await countHit(deps, 'chat.address', group, 'REQUEST_LIMIT_1MIN');
  await countHit(deps, 'chat.customer', `${customer.kind}:${customer.id}`);
  await countHit(deps, 'chat.customer.day', `${customer.kind}:${customer.id}`);
  const identity = await identityOf(deps, sending);
  try {
    return await enter(deps, sending, { message, inputHash, identity });
  } catch (error) {
    // Another node was faster with the same key.
    const first = violatedConstraint(error) === 'chat_message_once' && (await repeatOf(deps, sending, inputHash));
    if (first) return first;
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

async function repeatOf(deps: ChatDeps, { customer, key }: Sending, inputHash: Buffer): Promise<Sent | undefined> {
  if (key === undefined) return undefined;
  const known = await findByKey(deps.database, customer, key);
  if (known && !known.inputHash.equals(inputHash)) {
    throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });
  }
  return known;
}

async function identityOf({ account, database }: ChatDeps, { customer, said }: Sending): Promise<Identity> {
  if (customer.kind === 'visitor') return said;
  const member = await account.memberById(database, customer.id);
  return { username: member?.phone ?? '', name: member?.name ?? '' };
}

function enter(
  { database, clock }: ChatDeps,
  { customer, sessionId, deviceToken, key }: Sending,
  { message, inputHash, identity }: { message: CustomerMessage; inputHash: Buffer; identity: Identity },
): Promise<Sent> {
  const id = uuidV7(clock.now());
  return database.tx(async (tx) => {
    const conversationId = await openConversation(tx, uuidV7(clock.now()), customer);
    if (message.message_type === 'media') {
      const { filePath: key, fileType: kind } = message.payload;
      const isOwn = await useFile(tx, conversationId, { key, kind, hours: FILE_HOURS.nameable });
      if (!isOwn) throw new Refusal('NO_DATA', { detail: 'NO_FILE', status: 400 });
    }
    const sequence = await nextOfCustomer(tx, conversationId);
    const createdAt = await insertMessage(tx, customer, {
      id,
      conversationId,
      sequence,
      sender: 'customer',
      message,
      ...identity,
      deviceToken,
      clientId: key ?? '',
      sessionId,
      inputHash,
      answerId: null,
    });
    return { id, sequence, createdAt };
  });
}
