import type { FastifyInstance } from 'fastify';
import { Server as SocketServer } from 'socket.io';
import { z } from 'zod';
import type { Server } from '../control/serve.ts';
import { readInput } from '../input.ts';
import { siteBase } from '../links.ts';
import type { ChatBackendSettings, Outside } from '../outside/outside-file.ts';
import type { Pages } from '../pages.ts';
import type { Outbox } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { Conversations } from './conversations.ts';
import { answerChannel, isTicketFor, mustBeSigned } from './signature.ts';

type ChatBackendDeps = {
  store: Store;
  outbox: Outbox;
  settings: Settings;
  server: Server;
  outside: Outside;
  pages: Pages;
};

const id = z.string().min(1).max(64);
const message = z.object({
  message_type: z.string().min(1).max(40),
  payload: z.record(z.string(), z.unknown()),
});
const messageInput = z.object({
  id,
  conversation: id,
  room: z.string().min(1).max(128),
  sequence: z.int().min(1),
  customer: z.object({ kind: z.enum(['member', 'visitor']), name: z.string().max(200) }),
  message,
  reference: z.string().min(1).max(64).optional(),
});
const joinInput = z.object({ room: z.string().max(128), ticket: z.string().max(2_000) });

/** The service where support staff read and answer customers' messages: its API, its socket, its page. */
export function openChatBackend(app: FastifyInstance, deps: ChatBackendDeps): void {
  const { outside, pages } = deps;
  app.get('/support', (_request, reply) => pages.send(reply, 'support/index.html', { showsFiles: true }));
  if (!outside.chatBackend) return;
  const sockets = openSocket(app, outside.chatBackend);
  const conversations = new Conversations({
    ...deps,
    siteUrl: outside.publicUrl,
    onTyping: (room) => void sockets.to(room).emit('typing', { room }),
  });
  operatorRoutes(app, deps.server, outside.chatBackend, conversations);
  supportRoutes(app, conversations, outside);
  movementRoute(app, outside.chatBackend);
}

/** API for the operator. Signatures of calls cover the exact bytes of the body. */
function operatorRoutes(
  app: FastifyInstance,
  server: Server,
  settings: ChatBackendSettings,
  conversations: Conversations,
): void {
  app.register((scope, _options, done) => {
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, parsed) =>
      parsed(null, text),
    );
    scope.get('/chat-backend/v1/status', (request, reply) =>
      server.serve(reply, {
        target: 'chat-backend',
        call: 'status',
        key: null,
        handle: () => {
          mustBeSigned(request, settings);
          return { status: 200, body: { accepting: true } };
        },
        decline: () => ({ status: 403, body: { error: 'refused', message: 'This call is refused' } }),
      }),
    );
    scope.post('/chat-backend/v1/messages', (request, reply) =>
      server.serve(reply, {
        target: 'chat-backend',
        call: 'messages',
        key: null,
        handle: () => {
          mustBeSigned(request, settings);
          conversations.receive(readInput(messageInput, parsedBody(request.body)));
          return { status: 200, body: { accepted: true } };
        },
        decline: () => ({ status: 422, body: { error: 'refused', message: 'This message can not be taken' } }),
      }),
    );
    done();
  });
}

function parsedBody(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : '');
  } catch {
    throw new Refusal(400, 'bad_input', 'body: is not JSON');
  }
}

type ConversationRoute = { Params: { id: string } };

/** API of the support page. */
function supportRoutes(app: FastifyInstance, conversations: Conversations, outside: Outside): void {
  app.get('/support/conversations', () =>
    conversations.list().map(({ last, ...conversation }) => ({ ...conversation, last: JSON.parse(last) })),
  );
  app.get<ConversationRoute>('/support/conversations/:id', (request) => {
    const siteOrigin = new URL(outside.publicUrl).origin;
    const requestBase = siteBase(request, outside);
    // The operator's site serves customers' files. The reader reaches it at the host of this page.
    const rewriteUrl = (url: unknown): unknown =>
      typeof url === 'string' && url.startsWith(`${siteOrigin}/`) ? requestBase + url.slice(siteOrigin.length) : url;
    return conversations.messages(request.params.id).map((storedMessage) => {
      const messageBody = JSON.parse(storedMessage.message) as z.output<typeof message>;
      const { url } = messageBody.payload;
      return {
        ...storedMessage,
        message:
          url === undefined
            ? messageBody
            : { ...messageBody, payload: { ...messageBody.payload, url: rewriteUrl(url) } },
      };
    });
  });
  app.post<ConversationRoute>('/support/conversations/:id/seen', ({ params }) => {
    conversations.see(params.id);
    return { seen: true };
  });
  app.post<ConversationRoute>('/support/conversations/:id/messages', (request) => {
    conversations.answer(request.params.id, readInput(message, request.body));
    return { sent: true };
  });
  app.post<ConversationRoute>('/support/conversations/:id/typing', ({ params }) => {
    conversations.type(params.id);
    return { sent: true };
  });
}

const OPERATOR_TIMEOUT_MS = 10_000;

/** The movement of money that a message names, as the operator knows it; `movement` is null when it is not the customer's. */
function movementRoute(app: FastifyInstance, settings: ChatBackendSettings): void {
  app.get<{ Params: { id: string; reference: string } }>(
    '/support/conversations/:id/movements/:reference',
    async ({ params }) => {
      const body = JSON.stringify({ conversation: params.id, reference: params.reference });
      const response = await fetch(`${settings.callbackUrl}/movement`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...answerChannel(settings).headersOf(body, { at: Date.now(), isForged: false }),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(OPERATOR_TIMEOUT_MS),
      }).catch(() => undefined);
      if (response?.status !== 200) throw new Refusal(502, 'no_movement', 'The operator does not answer');
      return response.json();
    },
  );
}

function openSocket(app: FastifyInstance, settings: ChatBackendSettings): SocketServer {
  const sockets = new SocketServer(app.server, { serveClient: false, transports: ['websocket'] });
  sockets.on('connection', (socket) => {
    socket.on('join', (raw: unknown, acknowledge: unknown) => {
      const joinRequest = joinInput.safeParse(raw);
      const isAdmitted = joinRequest.success && isTicketFor(joinRequest.data.room, joinRequest.data.ticket, settings);
      if (isAdmitted) void socket.join(joinRequest.data.room);
      if (typeof acknowledge === 'function') acknowledge({ joined: isAdmitted });
    });
  });
  // Closes only the connections: closing the sockets would wait for every withheld reply.
  app.addHook('preClose', async () => {
    sockets.engine.close();
  });
  return sockets;
}
