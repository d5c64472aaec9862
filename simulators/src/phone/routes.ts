import type { FastifyInstance, FastifyRequest } from 'fastify';
import { siteBase } from '../links.ts';
import type { Outside } from '../outside/outside-file.ts';
import type { Pages } from '../pages.ts';
import { Refusal } from '../refusal.ts';
import { type Messages, normalizePhone } from '../sms/messages.ts';

const HEARTBEAT_MS = 15_000;

type PhoneDeps = { pages: Pages; messages: Messages; outside: Outside };
type PhoneRoute = { Querystring: { to?: string } };

function phoneOf(request: FastifyRequest<PhoneRoute>): string {
  const phone = normalizePhone(String(request.query.to ?? ''));
  if (phone === undefined) throw new Refusal(400, 'bad_phone', '`to` must be a mobile number');
  return phone;
}

/** The member's phone: its page, and the messages on it. */
export function phoneRoutes(app: FastifyInstance, { pages, messages, outside }: PhoneDeps): void {
  app.get('/', (_request, reply) => pages.send(reply, 'phone/index.html'));

  app.get('/phone/links', (request) => ({
    app: siteBase(request, outside),
    // URLs in a message are rewritten so that the reader can open them.
    site: new URL(outside.publicUrl).origin,
    support: '/support',
  }));

  app.get<PhoneRoute>('/phone/messages', (request) => messages.list(phoneOf(request)));

  app.get<PhoneRoute>('/phone/stream', (request, reply) => {
    const phone = phoneOf(request);
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    reply.raw.write(': listening\n\n');
    const stop = messages.listen(phone, (message) => {
      reply.raw.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    });
    const heartbeat = setInterval(() => reply.raw.write(': still here\n\n'), HEARTBEAT_MS);
    heartbeat.unref();
    reply.raw.once('close', () => {
      clearInterval(heartbeat);
      stop();
    });
  });
}
