import type { CustomerMessage } from '@krapao/contract/endpoints/chat';

/** A customer's message, as the chat backend gets it. */
export type ToldMessage = {
  id: string;
  conversation: string;
  /** The conversation's room at the backend's own socket. */
  room: string;
  sequence: number;
  /** A visitor's name, username and device token are their own words. */
  customer: { kind: 'member' | 'visitor'; name: string; username: string; deviceToken: string };
  message: CustomerMessage;
  createdAt: string;
};

/** ACCEPTED: it has it. REFUSED: it can't take this very message. Anything else says nothing of the message. */
export type ToldOutcome = { outcome: 'ACCEPTED' } | { outcome: 'REFUSED' | 'UNKNOWN'; reason: string };

/** What came to the callback address, raw. */
export type BackendCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: string };

/** An answer of the other side; its message is whatever the backend says. */
export type BackendAnswer = { id: string; conversation: string; message: unknown };

export type CallbackReading =
  | ({ reading: 'ANSWER' } & BackendAnswer)
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' };

/** The outside service where people of support read and answer. Nothing here throws for what it does. */
export type ChatBackend = {
  /** Longest that telling can take, in ms. */
  patienceMs: number;
  /** The same message may be told again and again. */
  tell(message: ToldMessage): Promise<ToldOutcome>;
  readCallback(callback: BackendCallback): CallbackReading;
  /** Where a customer's browser hears of their room there, and what lets it in. */
  admit(room: string): Promise<{ url: string; ticket: string }>;
};
