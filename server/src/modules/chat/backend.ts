import type { OtherMessage } from '@krapao/contract/endpoints/chat';
import type { Clock } from '../../platform/time.ts';
import { type Database, type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import type { ReplyAuthor, ChatBackend } from '../../adapters/chat-backend.ts';
import { type ReplyId, isConversationId, parseReply, UNKNOWN_MESSAGE, type ChatDeps } from './chat.ts';
import { insertReply, nextReplySequence } from './queries.ts';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { chatRoom } from '@krapao/contract/events';
import type { Job } from '../../platform/jobs/job.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { backoffMs } from '../../platform/jobs/resolver.ts';
import {
  claimUnforwarded,
  forwardingWork,
  markForwarded,
  nextUnforwarded,
  postponeForwarding,
  type Unforwarded,
} from './support-queries.ts';
import { withMediaUrl } from './message-feed.ts';
import { SHOWN_HOURS } from './files.ts';

export type SupportReply = {
  /** The same id is the same answer, and happens once. */
  answerId: ReplyId;
  conversationId: string;
  message: OtherMessage;
} & ReplyAuthor;

/**
 * Adds an answer of the other side to a conversation, from the backend or an operator. @param signed runs in the same
 * transaction, for rows that belong to the answer
 */
export async function addReply(
  { database, clock }: { database: Database; clock: Clock },
  { answerId, conversationId, message, ...by }: SupportReply,
  signed: (tx: Tx) => Promise<void> = async () => {},
): Promise<'added' | 'repeated' | 'unknown conversation'> {
  if (!isConversationId(conversationId)) return 'unknown conversation';
  try {
    return await database.tx(async (tx) => {
      const next = await nextReplySequence(tx, conversationId, by);
      if (!next) return 'unknown conversation';
      await insertReply(tx, next.customer, {
        id: uuidV7(clock.now()),
        conversationId,
        sequence: next.sequence,
        sender: 'other',
        message,
        username: '',
        name: '',
        deviceToken: '',
        clientId: '',
        sessionId: '',
        inputHash: null,
        answerId,
      });
      await signed(tx);
      return 'added';
    });
  } catch (error) {
    if (violatedConstraint(error) === 'chat_message_answer_once') return 'repeated';
    throw error;
  }
}

/** The largest answer is a row of cards with their buttons. */
const BODY_BYTES_MAX = 256 * 1024;
const HEARD = { accepted: true };

/**
 * Where the chat backend answers: `POST /api/callback/chat`. The same id again is the same answer; what has no shape that
 * we know is kept as an unknown message, so that the customer sees that there is one. Refuses with KEY_MISSING, KEY_INVALID,
 * or NO_DATA for a body that can't be read and for an unknown conversation.
 */
export function backendWebhook(app: FastifyInstance, deps: ChatDeps, backend: ChatBackend): void {
  void app.register(async (scope) => {
    // Raw bytes for every content type: the backend signs them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    scope.post('/api/callback/chat', async ({ headers, body }) => {
      const read = backend.readCallback({ headers, body: Buffer.isBuffer(body) ? body : '' });
      if (read.reading === 'MALFORMED') throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
      if (read.reading !== 'ANSWER') throw new Refusal(read.reading, { detail: 'CALLBACK' });
      const added = await addReply(deps, {
        answerId: `backend:${read.id}`,
        conversationId: read.conversation,
        message: parseReply(read.message) ?? UNKNOWN_MESSAGE,
        author: read.author,
        needsPerson: read.needsPerson,
      });
      if (added === 'unknown conversation') throw new Refusal('NO_DATA', { detail: 'CONVERSATION' });
      return HEARD;
    });
  });
}

/** Conversations that one process forwards concurrently. */
const AT_ONCE = 8;
/** Time in addition to the call: for reading the message, and storing the outcome. */
const MARGIN_MS = 10_000;

/**
 * A message that is still refused after so many tries, five minutes or more, is skipped: those after it would never arrive.
 */
const TRIES_OF_REFUSED = 8;

/**
 * Forwards customers' messages to the chat backend: each conversation in order, one message at a time, each retried
 * until it is accepted or permanently refused. Customers don't wait for it.
 */
export function startForwarding(deps: ChatDeps, backend: ChatBackend): Job {
  const leaseMs = backend.patienceMs + MARGIN_MS;
  return startPollingWorker({
    name: 'forward to the chat backend',
    concurrency: AT_ONCE,
    claim: (limit) => claimUnforwarded(deps.database, limit, leaseMs),
    handle: (unforwarded) => forwardNext(deps, backend, unforwarded),
    failed: failedWork(deps.database, forwardingWork),
    keyOf: ({ conversationId }) => conversationId,
    log: deps.log,
    failure: ({ conversationId }) => ({
      fields: { conversationId },
      message: 'a message could not be forwarded to the chat backend',
    }),
    // The next message of the same conversation.
    mayCreateDue: () => true,
  });
}

async function forwardNext(deps: ChatDeps, backend: ChatBackend, unforwarded: Unforwarded): Promise<void> {
  const { database, log } = deps;
  const { conversationId, customer, forwardedSequence, lastSequence, tries } = unforwarded;
  const next = await nextUnforwarded(database, conversationId, forwardedSequence);
  if (!next) return markForwarded(database, conversationId, lastSequence);
  const { id, sequence, message, name, username, deviceToken, createdAt } = next;
  const forwarded = await backend.forward({
    id,
    conversation: conversationId,
    room: chatRoom(customer.id),
    sequence,
    customer: { kind: customer.kind, name, username, deviceToken },
    message: await withMediaUrl(deps, message, SHOWN_HOURS.backend),
    createdAt: createdAt.toISOString(),
  });
  if (forwarded.outcome === 'ACCEPTED') return markForwarded(database, conversationId, sequence);
  if (forwarded.outcome === 'REFUSED' && tries >= TRIES_OF_REFUSED) {
    log.error({ conversationId, sequence, reason: forwarded.reason }, 'the chat backend will not take a message');
    return markForwarded(database, conversationId, sequence);
  }
  log.warn({ conversationId, sequence, tries, reason: forwarded.reason }, 'the chat backend did not take a message');
  return postponeForwarding(database, conversationId, { forwardedSequence, inMs: backoffMs(tries) });
}
