import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { type CustomerRef, type StoredMessage, toWireMessage } from './chat.ts';
import type { ChatDeps } from './chat-deps.ts';
import { selectHistory } from './queries.ts';
import { addressOf, type FileAddressDeps, SHOWN_HOURS } from './file/show-file.ts';

export type ShowMessagesDeps = Pick<ChatDeps, 'database'> & FileAddressDeps;

/** A part of a customer's conversation, newest first. */
export async function readHistory(
  deps: ShowMessagesDeps,
  customer: CustomerRef,
  part: { skip: number; limit: number },
): Promise<ChatMessage[]> {
  return showMessages(deps, customer, await selectHistory(deps.database, customer, part));
}

/** Messages of a conversation as its customer sees them. */
export async function showMessages(
  deps: ShowMessagesDeps,
  customer: CustomerRef,
  messages: readonly StoredMessage[],
): Promise<ChatMessage[]> {
  return Promise.all(
    messages.map(async (stored) => {
      const message = await showMedia(deps, stored.message, SHOWN_HOURS.customer);
      return toWireMessage(customer, { ...stored, message });
    }),
  );
}

/** A message with where its file can be seen, when it has one of ours. */
export async function showMedia<M extends StoredMessage['message']>(
  deps: FileAddressDeps,
  message: M,
  hours: number,
): Promise<M> {
  if (message.message_type !== 'media' || message.payload.filePath === '') return message;
  const url = await addressOf(deps, message.payload.filePath, hours);
  return { ...message, payload: { ...message.payload, url } };
}
