import type { ChatMessage, ChatSender, CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { Outgoing } from '../conversation/outgoing.ts';

/** A message as the window shows it: one that is stored, or one of one's own on its way. */
export type ShownMessage = {
  /** Stays the same when a message of one's own has arrived. */
  key: string;
  sender: ChatSender;
  message: ChatMessage['message'];
  /** ISO. */
  createdAt: string;
  /** Nothing has followed it yet: its quick replies can be chosen. */
  isLast: boolean;
  /** How far one of one's own has come in this visit; undefined for what the history brought. */
  outgoing: Outgoing | undefined;
};

/** What is in a bubble. */
export type MessageViewProps = {
  message: ShownMessage;
  /** Pressing something of it sends a message: a postback, a text. */
  onAct: (message: CustomerMessage) => void;
  /** Reloads it, because the address of its file has expired. */
  renew: () => Promise<void>;
};
