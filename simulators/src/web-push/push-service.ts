import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Faults, SpecialKind } from '../control/faults.ts';
import type { Answer, Server } from '../control/serve.ts';
import { readInput } from '../input.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import { decryptForBrowser, newBrowserKey, verifyVapid } from './crypto.ts';

export const WEB_PUSH_TABLES = `
create table if not exists push_browser (
  id text primary key, vapid_key text not null, private_key text not null, p256dh text not null, auth text not null,
  ended integer not null default 0
) strict;
create table if not exists push_message (
  id integer primary key, browser text not null references push_browser, at integer not null, ttl integer not null,
  urgency text, topic text, subject text not null, payload text
) strict;
create index if not exists push_message_browser on push_message (browser, id);
`;

const BODY_BYTES_MAX = 4_096;
const RETRY_AFTER_MS = 1_000;
const URGENCIES = ['very-low', 'low', 'normal', 'high'];
/** Faults of one status each. */
const FAULT_STATUS = {
  'not-found': 404,
  gone: 410,
  'too-large': 413,
  'too-many': 429,
  'bad-token': 403,
  unregistered: 400,
} as const;
/** What Apple's push service reports. */
const FAULT_REASONS: Readonly<Record<string, string>> = { 'bad-token': 'BadJwtToken', unregistered: 'Unregistered' };

type Browser = {
  id: string;
  vapidKey: string;
  privateKey: string;
  p256dh: string;
  auth: string;
  ended: number;
};
type PushDeps = { store: Store; faults: Faults; server: Server };

const subscribeInput = z.object({ publicKey: z.string().regex(/^[\w-]{87}$/) });
const endpointInput = z.object({ endpoint: z.url() });

/**
 * The push service of browsers, and the browsers: `POST /push/subscriptions` subscribes one, `GET /push/messages` lists
 * what it has received and decrypted.
 */
export function webPushRoutes(app: FastifyInstance, deps: PushDeps): void {
  const { store } = deps;
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post('/push/subscriptions', (request, reply) => {
    const { publicKey } = readInput(subscribeInput, request.body);
    const key = newBrowserKey();
    const id = randomBytes(24).toString('base64url');
    const auth = randomBytes(16).toString('base64url');
    const p256dh = key.getPublicKey('base64url');
    store.run(
      'insert into push_browser (id, vapid_key, private_key, p256dh, auth) values (?, ?, ?, ?, ?)',
      id,
      publicKey,
      key.getPrivateKey('base64url'),
      p256dh,
      auth,
    );
    return reply.code(201).send({ endpoint: `${originOf(request)}/push/send/${id}`, keys: { p256dh, auth } });
  });
  app.delete('/push/subscriptions', (request, reply) => {
    const { endpoint } = readInput(endpointInput, request.body);
    store.run('update push_browser set ended = 1 where id = ?', idOf(endpoint));
    return reply.code(204).send();
  });
  app.get('/push/messages', (request) => {
    const { endpoint } = readInput(endpointInput, request.query);
    return messagesOf(store, idOf(endpoint));
  });
  app.post<{ Params: { id: string } }>('/push/send/:id', { bodyLimit: 2 * BODY_BYTES_MAX }, (request, reply) => {
    const { id } = request.params;
    return deps.server.serve(reply, {
      target: 'push',
      call: 'send',
      key: id.slice(0, 8),
      handle: () => {
        const fault = takeFault(deps.faults);
        if (!fault) return receive(store, request);
        if (fault.status === 429) reply.header('retry-after', String(Math.ceil(fault.delayMs / 1000)));
        return fault.reason === undefined
          ? refusal(fault.status, 'fault')
          : { status: fault.status, body: { reason: fault.reason } };
      },
      decline: () => refusal(400, 'declined'),
    });
  });
}

const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;
const idOf = (endpoint: string): string => new URL(endpoint).pathname.split('/').at(-1) ?? '';
const refusal = (status: number, message: string): Answer => ({ status, body: { error: status, message } });

function takeFault(faults: Faults): { status: number; reason: string | undefined; delayMs: number } | undefined {
  for (const [kind, status] of Object.entries(FAULT_STATUS)) {
    const fault = faults.takeForEvent('push', kind as SpecialKind, 'send');
    if (fault) return { status, reason: FAULT_REASONS[kind], delayMs: fault.delayMs ?? RETRY_AFTER_MS };
  }
  return undefined;
}

function receive(store: Store, request: FastifyRequest<{ Params: { id: string } }>): Answer {
  const browser = store.one<Browser>(
    'select id, vapid_key as vapidKey, private_key as privateKey, p256dh, auth, ended from push_browser where id = ?',
    request.params.id,
  );
  if (!browser) return refusal(404, 'no such subscription');
  if (browser.ended === 1) return refusal(410, 'the subscription has ended');
  const sender = verifyVapid(request.headers.authorization, originOf(request));
  if (!sender) return refusal(401, 'invalid VAPID');
  if (sender.publicKey !== browser.vapidKey) return refusal(403, 'VAPID key of another sender');
  const headers = readHeaders(request);
  if ('invalid' in headers) return refusal(400, headers.invalid);
  const { ttl, urgency, topic } = headers;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length > BODY_BYTES_MAX) return refusal(413, 'payload');
  if (body.length > 0 && request.headers['content-encoding'] !== 'aes128gcm') return refusal(400, 'Content-Encoding');
  const payload = body.length === 0 ? null : tryDecrypt(body, browser);
  if (payload === undefined) return refusal(400, 'the browser can not decrypt it');
  store.run(
    'insert into push_message (browser, at, ttl, urgency, topic, subject, payload) values (?, ?, ?, ?, ?, ?, ?)',
    browser.id,
    Date.now(),
    ttl,
    urgency,
    topic,
    sender.subject,
    payload,
  );
  return { status: 201, body: {} };
}

type PushHeaders = { ttl: number; urgency: string | null; topic: string | null };

/** Headers of RFC 8030, or the name of an invalid one. */
function readHeaders({ headers }: FastifyRequest): PushHeaders | { invalid: string } {
  const [ttl, urgency, topic] = ['ttl', 'urgency', 'topic'].map((name) => headers[name]?.toString() ?? null);
  if (!/^\d{1,7}$/.test(ttl ?? '')) return { invalid: 'TTL' };
  if (urgency && !URGENCIES.includes(urgency)) return { invalid: 'Urgency' };
  if (topic && !/^[\w-]{1,32}$/.test(topic)) return { invalid: 'Topic' };
  return { ttl: Number(ttl), urgency: urgency ?? null, topic: topic ?? null };
}

function tryDecrypt(body: Buffer, browser: Browser): string | undefined {
  try {
    return decryptForBrowser(body, browser);
  } catch {
    return undefined;
  }
}

function messagesOf(store: Store, browser: string): object[] {
  type Row = { at: number; payload: string | null };
  return store
    .all<Row>(
      'select at, ttl, urgency, topic, subject, payload from push_message where browser = ? order by id',
      browser,
    )
    .map(({ at, payload, ...message }) => ({
      ...message,
      at: thaiTime(at),
      payload: payload === null ? null : (JSON.parse(payload) as unknown),
    }));
}
