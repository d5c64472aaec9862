import type { ChatMessage } from '@krapao/contract/endpoints/chat';

/** Stored messages in order, oldest first, without duplicates. */
export type Messages = readonly ChatMessage[];

/** Key of a message in the list; the same before and after the message is stored. */
export const messageKey = ({ clientId, _id }: ChatMessage): string => clientId || _id;

/** Adds received messages in any order and with duplicates. Returns the same list if none is new. */
export function mergeMessages(knownMessages: Messages, received: Messages): Messages {
  const sequences = new Set(knownMessages.map(({ sequence }) => sequence));
  const newMessages = received.filter(({ sequence }) => !sequences.has(sequence) && sequences.add(sequence));
  return newMessages.length === 0
    ? knownMessages
    : [...knownMessages, ...newMessages].sort((first, second) => first.sequence - second.sequence);
}

/** Replaces known media messages by reloaded ones with fresh file URLs. */
export function withFreshUrls(knownMessages: Messages, freshMessages: Messages): Messages {
  const bySequence = new Map(freshMessages.map((message) => [message.sequence, message]));
  return knownMessages.map((message) =>
    message.message.message_type === 'media' ? (bySequence.get(message.sequence) ?? message) : message,
  );
}

/** Whether the sequences of the messages have no gap. */
export function hasNoGap(messages: Messages): boolean {
  const [oldestMessage, newestMessage] = [messages[0], messages.at(-1)];
  return !oldestMessage || !newestMessage || newestMessage.sequence - oldestMessage.sequence + 1 === messages.length;
}

/** Messages after the last gap in the sequences. */
export function afterLastGap(messages: Messages): Messages {
  const firstIndex = messages.findLastIndex(({ sequence }, index) => messages[index - 1]?.sequence !== sequence - 1);
  return messages.slice(Math.max(0, firstIndex));
}

/** Number of replies in `now` that are newer than all messages in `before`. */
export function countNewReplies(previousMessages: Messages, currentMessages: Messages): number {
  const newestSequence = previousMessages.at(-1)?.sequence ?? 0;
  return currentMessages.filter(({ sender, sequence }) => sender === 'other' && sequence > newestSequence).length;
}
