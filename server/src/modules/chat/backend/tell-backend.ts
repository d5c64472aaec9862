import { chatRoom } from '@krapao/contract/events';
import { type Job } from '../../../platform/jobs/job.ts';
import { startDueWork } from '../../../platform/jobs/due-work.ts';
import { pauseAfter } from '../../../settlement/schedule.ts';
import type { ChatBackend } from '../../../counterparties/chat-backend/port.ts';
import { claimUntold, markTold, nextUntold, postponeTelling, type Untold } from './backend-queries.ts';
import type { ChatDeps } from '../chat-deps.ts';
import { showMedia } from '../message-feed.ts';
import { SHOWN_HOURS } from '../file/show-file.ts';

/** Conversations that one process tells of at the same time. */
const AT_ONCE = 8;
/** Time besides the call itself: for reading the message, and storing the outcome. */
const MARGIN_MS = 10_000;

/**
 * A message that is refused after so many tries, five minutes or more, is passed over: those after it would never arrive.
 */
const TRIES_OF_REFUSED = 8;

/**
 * Tells the chat backend of what customers write: each conversation in its order, one message after the other, each until
 * it is accepted, or refused for good. Customers don't wait for it.
 */
export function startTellingBackend(deps: ChatDeps, backend: ChatBackend): Job {
  const leaseMs = backend.patienceMs + MARGIN_MS;
  return startDueWork({
    name: 'tell the chat backend',
    atOnce: AT_ONCE,
    claim: (limit) => claimUntold(deps.database, limit, leaseMs),
    handle: (untold) => tellNext(deps, backend, untold),
    log: deps.log,
    failure: ({ conversationId }) => ({
      fields: { conversationId },
      message: 'a message could not be forwarded to the chat backend',
    }),
    // The next message of the same conversation.
    isFollowed: () => true,
  });
}

async function tellNext(deps: ChatDeps, backend: ChatBackend, untold: Untold): Promise<void> {
  const { database, log } = deps;
  const { conversationId, customer, toldSequence, lastSequence, tries } = untold;
  const next = await nextUntold(database, conversationId, toldSequence);
  if (!next) return markTold(database, conversationId, lastSequence);
  const { id, sequence, message, name, username, deviceToken, createdAt } = next;
  const told = await backend.tell({
    id,
    conversation: conversationId,
    room: chatRoom(customer.id),
    sequence,
    customer: { kind: customer.kind, name, username, deviceToken },
    message: await showMedia(deps, message, SHOWN_HOURS.backend),
    createdAt: createdAt.toISOString(),
  });
  if (told.outcome === 'ACCEPTED') return markTold(database, conversationId, sequence);
  if (told.outcome === 'REFUSED' && tries >= TRIES_OF_REFUSED) {
    log.error({ conversationId, sequence, reason: told.reason }, 'the chat backend will not take a message');
    return markTold(database, conversationId, sequence);
  }
  log.warn({ conversationId, sequence, tries, reason: told.reason }, 'the chat backend did not take a message');
  return postponeTelling(database, conversationId, { told: toldSequence, inMs: pauseAfter(tries) });
}
