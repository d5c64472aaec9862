import * as endpoints from '@krapao/contract/endpoints/chat';
import { CHAT_ROOM_PREFIX, chatRoom } from '@krapao/contract/events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import type { Anonymous, Customer } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { Refusal } from '../../platform/errors.ts';
import { type ChatDeps, withRewrittenUrls } from './chat.ts';
import { countUnread, markRead, touchVisitor } from './queries.ts';
import { readHistory } from './message-feed.ts';
import { sendMessage } from './send-message.ts';
import { registerSecretlessGuest, registerVisitor, identifyVisitor } from './visitor.ts';

/** Maximum reported number of unread messages. */
const UNREAD_MAX = 100;

/** The customer's calls. */
export function chatRoutes(app: FastifyInstance, deps: ChatDeps): void {
  const { database } = deps;
  route(app, endpoints.chatConfig, async ({ customer, request }) => {
    const shown = { PREFIX: CHAT_ROOM_PREFIX, unread: 0, backend: null };
    if (customer.kind === 'anonymous') return { status: 200, body: { ...shown, guestSecret: null } };
    const admit = async () => {
      const admission = await deps.backend?.admit(chatRoom(customer.id));
      return admission ? { ...admission, url: createAddressRewriter(request)(admission.url) } : null;
    };
    if (customer.kind === 'new-visitor') {
      const guestSecret = await registerVisitor(deps, customer.id, callerAddress(request).group);
      // A caller without a secret has not proved that the guest-id is theirs.
      const backend = guestSecret === null ? null : await admit();
      return { status: 200, body: { ...shown, guestSecret, backend } };
    }
    if (customer.kind === 'visitor') await touchVisitor(database, customer.id);
    const unread = await countUnread(database, customer, UNREAD_MAX);
    return { status: 200, body: { ...shown, guestSecret: null, unread, backend: await admit() } };
  });
  /** Who a call comes from: by its Authorization header, or without one by the guest-id in its body. */
  const ownerOf = async (caller: Customer | Anonymous, named: Named, request: FastifyRequest): Promise<Customer> => {
    if (caller.kind === 'anonymous') return identifyVisitor(deps, named, callerAddress(request).group);
    assertOwn(caller, named);
    return caller;
  };
  route(app, endpoints.sendChatMessage, async ({ customer: caller, body, idempotencyKey: key, request }) => {
    const customer = await ownerOf(caller, body, request);
    const { group } = callerAddress(request);
    if (caller.kind === 'anonymous') await registerSecretlessGuest(deps, customer.id, group);
    const { message, session_id: sessionId, deviceToken } = body;
    const said = { username: body.username ?? '', name: body.name ?? '' };
    const sending = { customer, message, sessionId, deviceToken, said, key, group };
    const { id, sequence, createdAt } = await sendMessage(deps, sending);
    return { status: 200, body: { _id: id, sequence, createdAt: createdAt.toISOString() } };
  });
  route(app, endpoints.listChatHistory, async ({ customer: caller, body, request }) => {
    const customer = await ownerOf(caller, body, request);
    const messages = await readHistory(deps, customer, body);
    return { status: 200, body: messages.map((message) => withRewrittenUrls(message, createAddressRewriter(request))) };
  });
  route(app, endpoints.readChat, async ({ customer: caller, body, request }) => {
    await markRead(database, await ownerOf(caller, body, request));
    return { status: 200, body: { message: 'OK' } };
  });
}

type Named = { userId: string; guestId: string };

/** A customer named in a call must be the caller. */
function assertOwn({ kind, id }: Customer, named: Named): void {
  const own = kind === 'member' ? { userId: id, guestId: '' } : { userId: '', guestId: id };
  const isOwn = ['', own.userId].includes(named.userId) && ['', own.guestId].includes(named.guestId);
  if (!isOwn) throw new Refusal('INVALID_USER_3');
}
