import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ApiReply } from '../harness/api-client.ts';
import { registerMember } from '../harness/members.ts';
import type { TestOutside } from '../harness/outside-file.ts';
import type { System } from '../harness/system.ts';

/** A customer of the chat: authorization and ids. */
export type ChatCustomer = {
  /** The member's id, or the visitor's guest-id. */
  id: string;
  authorization: string;
  userId: string;
  guestId: string;
  /** Authorization to join the customer's room. */
  proof: { token: string } | { guestSecret: string };
};

export const newGuestId = (): string => randomBytes(16).toString('hex');

export const readChatConfig = (system: System, authorization: string): Promise<ApiReply> =>
  system.api('GET /api/chat/config', { headers: { authorization } });

/** Creates a visitor with a secret, like the app. */
export async function newVisitorCustomer(system: System): Promise<ChatCustomer> {
  const id = newGuestId();
  const { status, body } = await readChatConfig(system, `Guest ${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  const { guestSecret } = body as { guestSecret: string };
  return { id, authorization: `Guest ${id}.${guestSecret}`, userId: '', guestId: id, proof: { guestSecret } };
}

export async function newMemberCustomer(system: System): Promise<ChatCustomer> {
  const { id, token } = await registerMember(system);
  return { id, authorization: `Bearer ${token}`, userId: id, guestId: '', proof: { token } };
}

/** One visitor and one member. */
export const newVisitorAndMember = (system: System): Promise<[ChatCustomer, ChatCustomer]> =>
  Promise.all([newMemberCustomer(system), newVisitorCustomer(system)]);

/** Calls the API as a customer. */
export const callAsCustomer = (
  system: System,
  { authorization }: Pick<ChatCustomer, 'authorization'>,
  call: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<ApiReply> =>
  system.api(call, {
    headers: { authorization },
    ...(body === undefined ? {} : { body }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });

export const textMessage = (text: string): object => ({ message_type: 'text', payload: { text } });

/** Sends a text; `more` overrides fields of the body. */
export const sendText = (
  system: System,
  customer: Pick<ChatCustomer, 'authorization'>,
  text: string,
  { key, ...more }: { key?: string; [field: string]: unknown } = {},
): Promise<ApiReply> =>
  callAsCustomer(system, customer, 'POST /api/chat/send-message', { message: textMessage(text), ...more }, key);

export const readHistory = (
  system: System,
  customer: Pick<ChatCustomer, 'authorization'>,
  historyFields: object = {},
): Promise<ApiReply> => callAsCustomer(system, customer, 'POST /api/chat/history', historyFields);

/** Id of a customer's conversation, which the API doesn't return. */
export async function readConversationId(
  { database }: Pick<System, 'database'>,
  { id }: Pick<ChatCustomer, 'id'>,
): Promise<string> {
  const { rows } = await database.query<{ id: string }>('select id from chat_conversation where customer_id = $1', [
    id,
  ]);
  return rows[0]?.id ?? assert.fail('no conversation');
}

export const SIGNING_SECRET = 'test-chat-backend-secret';
export const API_KEY = 'test-chat-key';

/** With the simulated chat backend. */
export const outsideWithBackend = (outside: TestOutside): TestOutside => {
  const simulatorsUrl = outside.sms.url.replace(/\/sms$/, '');
  return {
    ...outside,
    chatBackend: {
      url: `${simulatorsUrl}/chat-backend`,
      key: API_KEY,
      secret: SIGNING_SECRET,
      socketUrl: simulatorsUrl,
      callbackUrl: `${outside.publicUrl}/api/callback/chat`,
      timeoutMs: outside.sms.timeoutMs,
    },
  };
};
