import { chatRoom } from '@krapao/contract/events';
import { type Job } from '../../../platform/jobs/job.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { startDueWork } from '../../../platform/jobs/due-work.ts';
import { pauseAfter } from '../../../settlement/schedule.ts';
import type { ChatBackend } from '../../../counterparties/chat-backend/port.ts';
import {
  claimUnforwarded,
  forwardingWork,
  markForwarded,
  nextUnforwarded,
  postponeForwarding,
  type Unforwarded,
} from './backend-queries.ts';
import type { ChatDeps } from '../chat-deps.ts';
import { showMedia } from '../message-feed.ts';
import { SHOWN_HOURS } from '../file/show-file.ts';

/** Conversations that one process forwards concurrently. */
const AT_ONCE = 8;
/** Time besides the call itself: for reading the message, and storing the outcome. */
const MARGIN_MS = 10_000;

/**
 * A message that is still refused after so many tries, five minutes or more, is skipped: those after it would never arrive.
 */
const TRIES_OF_REFUSED = 8;

/**
 * Forwards what customers write to the chat backend: each conversation in its order, one message after the other, each
 * retried until it is accepted, or refused for good. Customers don't wait for it.
 */
export function startForwarding(deps: ChatDeps, backend: ChatBackend): Job {
  const leaseMs = backend.patienceMs + MARGIN_MS;
  return startDueWork({
    name: 'forward to the chat backend',
    atOnce: AT_ONCE,
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
    isFollowed: () => true,
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
    message: await showMedia(deps, message, SHOWN_HOURS.backend),
    createdAt: createdAt.toISOString(),
  });
  if (forwarded.outcome === 'ACCEPTED') return markForwarded(database, conversationId, sequence);
  if (forwarded.outcome === 'REFUSED' && tries >= TRIES_OF_REFUSED) {
    log.error({ conversationId, sequence, reason: forwarded.reason }, 'the chat backend will not take a message');
    return markForwarded(database, conversationId, sequence);
  }
  log.warn({ conversationId, sequence, tries, reason: forwarded.reason }, 'the chat backend did not take a message');
  return postponeForwarding(database, conversationId, { forwardedSequence, inMs: pauseAfter(tries) });
}
