import * as endpoints from '@krapao/contract/endpoints/chat';
import { CHAT_ROOM_PREFIX, chatRoom } from '@krapao/contract/events';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../platform/http/caller-address.ts';
import type { Customer } from '../../platform/http/customer.ts';
import { route } from '../../platform/http/registrar.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ChatDeps } from './chat-deps.ts';
import { countUnread, markRead } from './queries.ts';
import { readHistory } from './read-history.ts';
import { sendMessage } from './send-message.ts';
import { registerVisitor } from './visitor.ts';
import { touchVisitor } from './visitor-queries.ts';

/** More unread messages than this are told as this many. */
const UNREAD_MAX = 100;

/** The customer's calls. */
export function chatRoutes(app: FastifyInstance, deps: ChatDeps): void {
  const { database } = deps;
  route(app, endpoints.chatConfig, async ({ customer, request }) => {
    const shown = { PREFIX: CHAT_ROOM_PREFIX, unread: 0, backend: null };
    const admit = async () => (await deps.backend?.admit(chatRoom(customer.id))) ?? null;
    if (customer.kind === 'newcomer') {
      const guestSecret = await registerVisitor(deps, customer.id, callerOf(request).group);
      // Whoever gets no secret has shown nothing that would make the guest-id theirs.
      const backend = guestSecret === null ? null : await admit();
      return { status: 200, body: { ...shown, guestSecret, backend } };
    }
    if (customer.kind === 'visitor') await touchVisitor(database, customer.id);
    const unread = await countUnread(database, customer, UNREAD_MAX);
    return { status: 200, body: { ...shown, guestSecret: null, unread, backend: await admit() } };
  });
  route(app, endpoints.sendChatMessage, async ({ customer, body, idempotencyKey: key, request }) => {
    assertOwn(customer, body);
    const { message, session_id: sessionId } = body;
    const { group } = callerOf(request);
    const { id, sequence, createdAt } = await sendMessage(deps, { customer, message, sessionId, key, group });
    return { status: 200, body: { _id: id, sequence, createdAt: createdAt.toISOString() } };
  });
  route(app, endpoints.listChatHistory, async ({ customer, body }) => {
    assertOwn(customer, body);
    return { status: 200, body: await readHistory(deps, customer, body) };
  });
  route(app, endpoints.readChat, async ({ customer, body }) => {
    assertOwn(customer, body);
    await markRead(database, customer);
    return { status: 200, body: { message: 'OK' } };
  });
}

/** Whoever names a customer in a call must be that one. */
function assertOwn({ kind, id }: Customer, named: { userId: string; guestId: string }): void {
  const own = kind === 'member' ? { userId: id, guestId: '' } : { userId: '', guestId: id };
  const isOwn = ['', own.userId].includes(named.userId) && ['', own.guestId].includes(named.guestId);
  if (!isOwn) throw new Refusal('INVALID_USER_3');
}
