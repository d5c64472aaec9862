import * as endpoints from '@krapao/contract/endpoints/chat';
import { CHAT_ROOM_PREFIX, chatRoom } from '@krapao/contract/events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import type { Anonymous, Customer } from '../../platform/http/caller.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import { markSupportRead } from '../notification/index.ts';
import { type ChatDeps, withRewrittenUrls } from './chat.ts';
import { readHistory } from './message-feed.ts';
import { countUnread, markConversationRead, touchVisitor } from './queries.ts';
import { sendMessage } from './send-message.ts';
import { registerSecretlessVisitor, registerVisitor, identifyVisitor } from './visitor.ts';

/** Maximum reported number of unread messages. */
const UNREAD_MAX = 100;

/** Serves the customer's calls. */
export function chatRoutes(app: FastifyInstance, deps: ChatDeps): void {
  const { database } = deps;
  route(app, endpoints.chatConfig, async ({ customer, request }) => {
    const baseConfig = { PREFIX: CHAT_ROOM_PREFIX, unread: 0, backend: null };
    if (customer.kind === 'anonymous') return { status: 200, body: { ...baseConfig, guestSecret: null } };
    const admitToBackend = async () => {
      const admission = await deps.backend?.admit(chatRoom(customer.id));
      return admission ? { ...admission, url: createAddressRewriter(request)(admission.url) } : null;
    };
    if (customer.kind === 'new-visitor') {
      const guestSecret = await registerVisitor(deps, customer.id, callerAddress(request).group);
      // A caller without a secret has not proved that the guest-id is theirs.
      const backend = guestSecret === null ? null : await admitToBackend();
      return { status: 200, body: { ...baseConfig, guestSecret, backend } };
    }
    if (customer.kind === 'visitor') await touchVisitor(database, customer.id);
    const unread = await countUnread(database, customer, UNREAD_MAX);
    return { status: 200, body: { ...baseConfig, guestSecret: null, unread, backend: await admitToBackend() } };
  });
  /** The customer of a call: by its Authorization header, or without one by the guest-id in its body. */
  const resolveCustomer = async (
    caller: Customer | Anonymous,
    namedCustomer: NamedCustomer,
    request: FastifyRequest,
  ): Promise<Customer> => {
    if (caller.kind === 'anonymous') return identifyVisitor(deps, namedCustomer, callerAddress(request).group);
    assertIsCaller(caller, namedCustomer);
    return caller;
  };
  route(app, endpoints.sendChatMessage, async ({ customer: caller, body, idempotencyKey: key, request }) => {
    const customer = await resolveCustomer(caller, body, request);
    const { group } = callerAddress(request);
    if (caller.kind === 'anonymous') await registerSecretlessVisitor(deps, customer.id, group);
    const { message, reference = null, session_id: sessionId, deviceToken } = body;
    const claimedIdentity = { username: body.username ?? '', name: body.name ?? '' };
    const messageRequest = { customer, message, reference, sessionId, deviceToken, claimedIdentity, key, group };
    const { id, sequence, createdAt } = await sendMessage(deps, messageRequest);
    return { status: 200, body: { _id: id, sequence, createdAt: createdAt.toISOString() } };
  });
  route(app, endpoints.listChatHistory, async ({ customer: caller, body, request }) => {
    const customer = await resolveCustomer(caller, body, request);
    const messages = await readHistory(deps, customer, body);
    return { status: 200, body: messages.map((message) => withRewrittenUrls(message, createAddressRewriter(request))) };
  });
  route(app, endpoints.readChat, async ({ customer: caller, body, request }) => {
    const customer = await resolveCustomer(caller, body, request);
    await markConversationRead(database, customer);
    if (customer.kind === 'member') await markSupportRead(database, customer.id);
    return { status: 200, body: { message: 'OK' } };
  });
}

type NamedCustomer = { userId: string; guestId: string };

/** Refuses a call whose body names another customer than the caller. */
function assertIsCaller({ kind, id }: Customer, namedCustomer: NamedCustomer): void {
  const callerIds = kind === 'member' ? { userId: id, guestId: '' } : { userId: '', guestId: id };
  const isCaller =
    ['', callerIds.userId].includes(namedCustomer.userId) && ['', callerIds.guestId].includes(namedCustomer.guestId);
  if (!isCaller) throw new Refusal('INVALID_USER_3');
}
