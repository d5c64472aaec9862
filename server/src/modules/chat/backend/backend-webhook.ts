import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../platform/refusal.ts';
import type { ChatBackend } from '../../../counterparties/chat-backend/port.ts';
import { addAnswer } from './add-answer.ts';
import { readAnswer, UNKNOWN_MESSAGE } from '../chat.ts';
import type { ChatDeps } from '../chat-deps.ts';

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
      const added = await addAnswer(deps, {
        answerId: `backend:${read.id}`,
        conversationId: read.conversation,
        message: readAnswer(read.message) ?? UNKNOWN_MESSAGE,
        author: read.author,
        needsPerson: read.needsPerson,
      });
      if (added === 'unknown conversation') throw new Refusal('NO_DATA', { detail: 'CONVERSATION' });
      return HEARD;
    });
  });
}
