import type { ChatMessage } from '@krapao/contract/endpoints/chat';

/** Stored messages without duplicates, oldest first. */
export type Messages = readonly ChatMessage[];

/** Key of a message in the window, the same before and after it is stored. */
export const messageKey = ({ clientId, _id }: ChatMessage): string => clientId || _id;

/** Merges messages in any order and with duplicates. Returns the same list if nothing is new. */
export function merge(known: Messages, more: Messages): Messages {
  const sequences = new Set(known.map(({ sequence }) => sequence));
  const added = more.filter(({ sequence }) => !sequences.has(sequence) && sequences.add(sequence));
  return added.length === 0 ? known : [...known, ...added].sort((one, other) => one.sequence - other.sequence);
}

/** Replaces known media messages by the ones just read, whose file URLs are fresh. */
export function renewed(known: Messages, read: Messages): Messages {
  const bySequence = new Map(read.map((message) => [message.sequence, message]));
  return known.map((message) =>
    message.message.message_type === 'media' ? (bySequence.get(message.sequence) ?? message) : message,
  );
}

/** Whether the sequence has no gap. */
export function hasNoGap(messages: Messages): boolean {
  const [oldest, newest] = [messages[0], messages.at(-1)];
  return !oldest || !newest || newest.sequence - oldest.sequence + 1 === messages.length;
}

/** The messages after the last gap. */
export function afterLastGap(messages: Messages): Messages {
  const first = messages.findLastIndex(({ sequence }, at) => messages[at - 1]?.sequence !== sequence - 1);
  return messages.slice(Math.max(0, first));
}

/** Number of replies in `now` that follow all of `before`. */
export function newReplies(before: Messages, now: Messages): number {
  const newest = before.at(-1)?.sequence ?? 0;
  return now.filter(({ sender, sequence }) => sender === 'other' && sequence > newest).length;
}
