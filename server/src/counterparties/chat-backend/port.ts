import type { RawBody } from '../../platform/parse-json.ts';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';

/** A customer's message, as it is sent to the chat backend. */
export type ForwardedMessage = {
  id: string;
  conversation: string;
  /** The conversation's room at the backend's own socket. */
  room: string;
  sequence: number;
  /** Name, username and device token of a visitor are self-declared. */
  customer: { kind: 'member' | 'visitor'; name: string; username: string; deviceToken: string };
  message: CustomerMessage;
  createdAt: string;
};

/** ACCEPTED: stored there. REFUSED: this message is not acceptable. Any other outcome is not about the message. */
export type ForwardOutcome = { outcome: 'ACCEPTED' } | { outcome: 'REFUSED' | 'UNKNOWN'; reason: string };

/** A raw callback. */
export type BackendCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: RawBody };

/** An answer of the other side; its message is unvalidated. */
export type BackendAnswer = { id: string; conversation: string; message: unknown } & ReplyAuthor;

/** Author of a reply; `needsPerson`: the customer still needs a person after a robot's reply. */
export type ReplyAuthor = { author: 'person' | 'robot'; needsPerson: boolean };

export type BackendCallReading =
  | ({ reading: 'ANSWER' } & BackendAnswer)
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' };

/** The outside service where support staff read and answer. Nothing here throws on its failures. */
export type ChatBackend = {
  /** Maximum duration of sending, in ms. */
  patienceMs: number;
  /** Idempotent: the same message may be sent repeatedly. */
  forward(message: ForwardedMessage): Promise<ForwardOutcome>;
  readCallback(callback: BackendCallback): BackendCallReading;
  /** Address and credentials of the customer's room for their browser. */
  admit(room: string): Promise<{ url: string; ticket: string }>;
};
