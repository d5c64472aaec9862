import type { ChatMessage } from '@krapao/contract/endpoints/chat';

/** Stored messages, the oldest first, each once. */
export type Messages = readonly ChatMessage[];

/** What a message is known by in the window: the same as while it was on its way. */
export const messageKey = ({ clientId, _id }: ChatMessage): string => clientId || _id;

/** Puts messages, in whatever order and however often they came, where they belong. The same list when all are known. */
export function merge(known: Messages, more: Messages): Messages {
  const sequences = new Set(known.map(({ sequence }) => sequence));
  const added = more.filter(({ sequence }) => !sequences.has(sequence) && sequences.add(sequence));
  return added.length === 0 ? known : [...known, ...added].sort((one, other) => one.sequence - other.sequence);
}

/** Puts newer readings of messages that are known, whose files have other addresses by now, in the place of the older. */
export function renewed(known: Messages, read: Messages): Messages {
  const bySequence = new Map(read.map((message) => [message.sequence, message]));
  return known.map((message) =>
    message.message.message_type === 'media' ? (bySequence.get(message.sequence) ?? message) : message,
  );
}

/** Whether none is missing between the oldest and the newest. */
export function hasNoGap(messages: Messages): boolean {
  const [oldest, newest] = [messages[0], messages.at(-1)];
  return !oldest || !newest || newest.sequence - oldest.sequence + 1 === messages.length;
}

/** What follows the last gap. */
export function afterLastGap(messages: Messages): Messages {
  const first = messages.findLastIndex(({ sequence }, at) => messages[at - 1]?.sequence !== sequence - 1);
  return messages.slice(Math.max(0, first));
}

/** How many of the other side's are in `now` and come after all of `before`. */
export function newReplies(before: Messages, now: Messages): number {
  const newest = before.at(-1)?.sequence ?? 0;
  return now.filter(({ sender, sequence }) => sender === 'other' && sequence > newest).length;
}
