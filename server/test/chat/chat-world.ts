import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ApiReply } from '../harness/api-client.ts';
import { registerMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

/** A customer of the chat as a test has one: what they send along with a call, and what their ids are. */
export type Talker = {
  /** The member's id, or the visitor's guest-id. */
  id: string;
  authorization: string;
  userId: string;
  guestId: string;
  /** What lets them into their room. */
  proof: { token: string } | { guestSecret: string };
};

export const newGuestId = (): string => randomBytes(16).toString('hex');

export const configAs = (system: System, authorization: string): Promise<ApiReply> =>
  system.api('GET /api/chat/config', { headers: { authorization } });

/** A visitor with a secret, got as the app gets it. */
export async function newVisitor(system: System): Promise<Talker> {
  const id = newGuestId();
  const { status, body } = await configAs(system, `Guest ${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  const { guestSecret } = body as { guestSecret: string };
  return { id, authorization: `Guest ${id}.${guestSecret}`, userId: '', guestId: id, proof: { guestSecret } };
}

export async function newMember(system: System): Promise<Talker> {
  const { id, token } = await registerMember(system);
  return { id, authorization: `Bearer ${token}`, userId: id, guestId: '', proof: { token } };
}

/** One of each kind. */
export const eachKind = (system: System): Promise<[Talker, Talker]> =>
  Promise.all([newMember(system), newVisitor(system)]);

/** Calls the API as a customer. */
export const callAs = (
  system: System,
  { authorization }: Pick<Talker, 'authorization'>,
  call: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<ApiReply> =>
  system.api(call, {
    headers: { authorization },
    ...(body === undefined ? {} : { body }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });

export const textOf = (text: string): object => ({ message_type: 'text', payload: { text } });

/** Sends a text; `more` overrides fields of the body. */
export const say = (
  system: System,
  talker: Pick<Talker, 'authorization'>,
  text: string,
  { key, ...more }: { key?: string; [field: string]: unknown } = {},
): Promise<ApiReply> => callAs(system, talker, 'POST /api/chat/send-message', { message: textOf(text), ...more }, key);

export const historyOf = (
  system: System,
  talker: Pick<Talker, 'authorization'>,
  part: object = {},
): Promise<ApiReply> => callAs(system, talker, 'POST /api/chat/history', part);

/** The id of a customer's conversation, which only the database and the backend know. */
export async function conversationOf(
  { database }: Pick<System, 'database'>,
  { id }: Pick<Talker, 'id'>,
): Promise<string> {
  const { rows } = await database.query<{ id: string }>('select id from chat_conversation where customer_id = $1', [
    id,
  ]);
  return rows[0]?.id ?? assert.fail('no conversation');
}
