import type { SupportMessage } from '@krapao/contract/endpoints/chat';
import { chatRoom } from '@krapao/contract/events';
import type { FastifyInstance } from 'fastify';
import type { ReplyAuthor, ChatBackend } from '../../adapters/chat-backend.ts';
import { type Database, type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { backoffMs } from '../../platform/jobs/resolver.ts';
import type { Clock } from '../../platform/time.ts';
import { addNotices } from '../notification/index.ts';
import { type ReplyId, isConversationId, parseReply, UNKNOWN_MESSAGE, type ChatDeps } from './chat.ts';
import { URL_VALID_HOURS } from './files.ts';
import { withMediaUrl } from './message-feed.ts';
import { findMovementOf } from './movement.ts';
import { insertReply, nextReplySequence } from './queries.ts';
import {
  claimUnforwarded,
  findCustomer,
  forwardingWork,
  markForwarded,
  nextUnforwarded,
  postponeForwarding,
  type ForwardingClaim,
} from './support-queries.ts';

export type SupportReply = {
  /** A repeated id is the same reply and is added once. */
  answerId: ReplyId;
  conversationId: string;
  message: SupportMessage;
} & ReplyAuthor;

/**
 * Adds a reply of the backend or an operator to a conversation. A reply by support staff to a member adds a notice.
 * @param afterInsert runs in the same transaction, for rows that belong to the reply
 */
export async function addSupportReply(
  { database, clock }: { database: Database; clock: Clock },
  { answerId, conversationId, message, ...replyAuthor }: SupportReply,
  afterInsert: (tx: Tx) => Promise<void> = async () => {},
): Promise<'added' | 'repeated' | 'unknown_conversation'> {
  if (!isConversationId(conversationId)) return 'unknown_conversation';
  try {
    return await database.tx(async (tx) => {
      const replySlot = await nextReplySequence(tx, conversationId, replyAuthor);
      if (!replySlot) return 'unknown_conversation';
      await insertReply(tx, replySlot.customer, {
        id: uuidV7(clock.now()),
        conversationId,
        sequence: replySlot.sequence,
        sender: 'other',
        message,
        username: '',
        name: '',
        deviceToken: '',
        clientId: '',
        sessionId: '',
        reference: null,
        inputHash: null,
        answerId,
      });
      if (replyAuthor.author === 'person' && replySlot.customer.kind === 'member') {
        const at = clock.now();
        const notice = {
          memberId: replySlot.customer.id,
          kind: 'support',
          reference: answerId,
          at,
          facts: {},
        } as const;
        await addNotices(tx, [notice], at);
      }
      await afterInsert(tx);
      return 'added';
    });
  } catch (error) {
    if (violatedConstraint(error) === 'chat_message_answer_once') return 'repeated';
    throw error;
  }
}

/** The largest reply is a row of cards with buttons. */
const CALLBACK_BYTES_MAX = 256 * 1024;
const CALLBACK_REPLY = { accepted: true };

/**
 * Callbacks of the chat backend. `POST /api/callback/chat`: a reply. A repeated id is the same reply. A message of unknown
 * shape is stored as an unknown message, so that the customer sees that a reply exists. `POST
 * /api/callback/chat/movement`: the movement of money that a message names, if it is the customer's own.
 * @throws {Refusal} KEY_MISSING, KEY_INVALID, NO_DATA (malformed body, unknown conversation)
 */
export function backendWebhook(app: FastifyInstance, deps: ChatDeps, backend: ChatBackend): void {
  void app.register(async (scope) => {
    // Raw bytes for every content type: the backend signs them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: CALLBACK_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    scope.post('/api/callback/chat', async ({ headers, body }) => {
      const callback = backend.readCallback({ headers, body: Buffer.isBuffer(body) ? body : '' });
      if (callback.reading === 'MALFORMED') throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
      if (callback.reading !== 'ANSWER') throw new Refusal(callback.reading, { detail: 'CALLBACK' });
      const outcome = await addSupportReply(deps, {
        answerId: `backend:${callback.id}`,
        conversationId: callback.conversation,
        message: parseReply(callback.message) ?? UNKNOWN_MESSAGE,
        author: callback.author,
        needsPerson: callback.needsPerson,
      });
      if (outcome === 'unknown_conversation') throw new Refusal('NO_DATA', { detail: 'CONVERSATION' });
      return CALLBACK_REPLY;
    });
    scope.post('/api/callback/chat/movement', async ({ headers, body }) => {
      const callback = backend.readMovementCall({ headers, body: Buffer.isBuffer(body) ? body : '' });
      if (callback.reading === 'MALFORMED') throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
      if (callback.reading !== 'MOVEMENT') throw new Refusal(callback.reading, { detail: 'CALLBACK' });
      const { conversation, reference } = callback;
      const customer = isConversationId(conversation) ? await findCustomer(deps.database, conversation) : undefined;
      if (!customer) throw new Refusal('NO_DATA', { detail: 'CONVERSATION' });
      return { movement: (await findMovementOf(deps, customer, reference)) ?? null };
    });
  });
}

/** Conversations that one process forwards concurrently. */
const FORWARDING_CONCURRENCY = 8;
/** Added to the timeout of the call, for reading the message and storing the outcome. */
const LEASE_MARGIN_MS = 10_000;

/**
 * A message that is still refused after this many tries, at least five minutes, is skipped. Otherwise it would block
 * later messages.
 */
const REFUSED_TRIES_MAX = 8;

/**
 * Forwards customers' messages to the chat backend in the background. Each conversation is forwarded in order, one
 * message at a time. Each message is retried until it is accepted or permanently refused.
 */
export function startForwarding(deps: ChatDeps, backend: ChatBackend): Job {
  const leaseMs = backend.patienceMs + LEASE_MARGIN_MS;
  return startPollingWorker({
    name: 'forward to the chat backend',
    concurrency: FORWARDING_CONCURRENCY,
    claim: (limit) => claimUnforwarded(deps.database, limit, leaseMs),
    handle: (unforwarded) => forwardNext(deps, backend, unforwarded),
    failed: failedWork(deps.database, forwardingWork),
    keyOf: ({ conversationId }) => conversationId,
    log: deps.log,
    failureMessage: 'forwarding to the chat backend failed',
    logFields: ({ conversationId }) => ({ conversationId }),
    // A forwarded message makes the next one of its conversation due.
    mayCreateDue: () => true,
  });
}

async function forwardNext(deps: ChatDeps, backend: ChatBackend, unforwarded: ForwardingClaim): Promise<void> {
  const { database, log } = deps;
  const { conversationId, customer, forwardedSequence, lastSequence, tries } = unforwarded;
  const nextMessage = await nextUnforwarded(database, conversationId, forwardedSequence);
  if (!nextMessage) return markForwarded(database, conversationId, lastSequence);
  const { id, sequence, message, name, username, deviceToken, reference, createdAt } = nextMessage;
  const forwarding = await backend.forward({
    id,
    conversation: conversationId,
    room: chatRoom(customer.id),
    sequence,
    customer: { kind: customer.kind, name, username, deviceToken },
    message: await withMediaUrl(deps, message, URL_VALID_HOURS.backend),
    ...(reference === null ? {} : { reference }),
    createdAt: createdAt.toISOString(),
  });
  if (forwarding.outcome === 'accepted') return markForwarded(database, conversationId, sequence);
  if (forwarding.outcome === 'refused' && tries >= REFUSED_TRIES_MAX) {
    log.error({ conversationId, sequence, reason: forwarding.reason }, 'chat backend refused a message, given up');
    return markForwarded(database, conversationId, sequence);
  }
  log.warn({ conversationId, sequence, tries, reason: forwarding.reason }, 'chat message to be forwarded again');
  return postponeForwarding(database, conversationId, { forwardedSequence, inMs: backoffMs(tries) });
}
