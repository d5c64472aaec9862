import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { useMemo, useSyncExternalStore } from 'react';
import type { Conversation, ConversationState } from './conversation.ts';
import { keyOf } from './messages.ts';
import type { Outgoing } from './outgoing.ts';
import type { ShownMessage } from '../message/shown-message.ts';

/** What is known of the conversation, and its messages with those on their way, the oldest first. */
export function useConversation(conversation: Conversation): ConversationState & { shown: readonly ShownMessage[] } {
  const state = useSyncExternalStore(conversation.subscribe, conversation.current);
  const outgoing = useSyncExternalStore(conversation.outgoing.subscribe, conversation.outgoing.current);
  const { messages } = state;
  const shown = useMemo(() => shownOf(messages, outgoing), [messages, outgoing]);
  return { ...state, shown };
}

function shownOf(messages: readonly ChatMessage[], outgoing: readonly Outgoing[]): ShownMessage[] {
  const arrived = new Set(messages.map(({ clientId }) => clientId));
  // One that has arrived by the socket before its own answer came stands once.
  const waiting = outgoing.filter(({ clientId }) => !arrived.has(clientId));
  const last = messages.length + waiting.length - 1;
  return [
    ...messages.map((stored, at) => ({
      key: keyOf(stored),
      sender: stored.sender,
      message: stored.message,
      createdAt: stored.createdAt,
      isLast: at === last,
      outgoing: undefined,
    })),
    ...waiting.map((one, at) => ({
      key: one.clientId,
      sender: 'customer' as const,
      message: one.message,
      createdAt: one.startedAt,
      isLast: messages.length + at === last,
      outgoing: one,
    })),
  ];
}
