import type { BodyOf, Endpoint, ParamsOf, ReplyOf } from '@krapao/contract/endpoint';
import { IDEMPOTENCY_HEADER, MARKER_HEADER, MARKER_VALUE } from '@krapao/contract/constants';
import { errorStatus } from '@krapao/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Refusal } from '../errors.ts';
import {
  type Anonymous,
  type Customer,
  type CustomerReader,
  customerOf,
  readGuestCredentials,
  type NewVisitor,
  rememberCustomer,
  type Member,
  memberOf,
  rememberMember,
} from './caller.ts';
import { uploadScope } from './upload.ts';

export type RouteInput<E extends Endpoint> = {
  params: ParamsOf<E>;
  body: BodyOf<E>;
  /** The calling member; only for endpoints with member access. */
  member: E['access'] extends 'member' ? Member : undefined;
  /** The calling customer; only for endpoints with customer access. */
  customer: E['access'] extends 'customer' ? CustomerReader<E> : undefined;
  /** The Idempotency-Key, where the endpoint reads one. */
  idempotencyKey: string | undefined;
  request: FastifyRequest;
  /** For headers of the answer; the handler returns status and body. */
  reply: FastifyReply;
};

/** The same type, read-only: so that literals of an answer are inferred, and because it is only read from here on. */
type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanging<T[Key]> }
    : T;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{8,128}$/;

/**
 * Serves an endpoint as declared: authenticates the caller, checks the marker header, parses the input, runs the
 * handler, and parses the answer, so that no undeclared field can leave.
 */
export function route<E extends Endpoint, const R extends Unchanging<ReplyOf<E>>>(
  app: FastifyInstance,
  endpoint: E,
  // The answer has its own type parameter, so that a literal status stays literal.
  handler: (call: RouteInput<E>) => Promise<R>,
): void {
  // A form with a file is not parsed here: the handler reads it, after all checks that don't need it.
  if (endpoint.upload) uploadScope(app, (scope) => serve(scope, endpoint, handler));
  else serve(app, endpoint, handler);
}

function serve<E extends Endpoint, const R extends Unchanging<ReplyOf<E>>>(
  app: FastifyInstance,
  endpoint: E,
  handler: (call: RouteInput<E>) => Promise<R>,
): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { endpoint, ...(endpoint.secretParams ? { secretParams: endpoint.secretParams } : {}) },
    // Before the body is read: the body of an unauthenticated caller is not read at all.
    onRequest: (request) => app.calls.track(admit(app, endpoint, request)),
    handler: async (request, reply) => {
      const answer = await handler({
        params: parseInput(endpoint.params, request.params, endpoint, 'params') as ParamsOf<E>,
        body: parseInput(endpoint.body, request.body === undefined ? {} : request.body, endpoint, 'body') as BodyOf<E>,
        member: (endpoint.access === 'member' ? memberOf(request) : undefined) as RouteInput<E>['member'],
        customer: (endpoint.access === 'customer' ? customerOf(request) : undefined) as RouteInput<E>['customer'],
        idempotencyKey: endpoint.idempotent ? readIdempotencyKey(request, endpoint) : undefined,
        request,
        reply,
      });
      const status: number = answer.status;
      return reply.code(status).send(parseReply(endpoint, answer));
    },
  });
}

/** Guards of the modules, the caller's credentials, and the marker header. */
async function admit(app: FastifyInstance, endpoint: Endpoint, request: FastifyRequest): Promise<void> {
  for (const guard of app.guards) await guard(endpoint, request);
  if (endpoint.access === 'member') rememberMember(request, await app.authenticate(request));
  if (endpoint.access === 'customer') rememberCustomer(request, await findCustomer(app, endpoint, request));
  if (endpoint.changesState) requireMarker(request);
}

async function findCustomer(
  app: FastifyInstance,
  { acceptsNewVisitors, acceptsAnonymous }: Endpoint,
  request: FastifyRequest,
): Promise<Customer | NewVisitor | Anonymous> {
  const pass = readGuestCredentials(request);
  if (pass === undefined) {
    if (request.headers.authorization === undefined) {
      if (acceptsAnonymous) return { kind: 'anonymous' };
      throw new Refusal('KEY_MISSING', { detail: 'AUTHORIZATION' });
    }
    const member = await app.authenticate(request);
    return { kind: 'member', id: member.id, member };
  }
  // Invalid visitor credentials get the same answer, whatever is wrong with them.
  if (pass === 'malformed') return app.authenticateVisitor({ guestId: '', secret: '' }, request);
  if (pass.secret !== '') return app.authenticateVisitor(pass, request);
  if (!acceptsNewVisitors) throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
  return { kind: 'new-visitor', id: pass.guestId };
}

function parseInput(
  schema: z.ZodType | undefined,
  value: unknown,
  endpoint: Endpoint,
  where: 'params' | 'body',
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new Refusal(endpoint.malformed, {
    detail: field === '' ? 'MALFORMED' : field,
    // A wrong shape is the sender's mistake, whatever status the code has elsewhere.
    ...(where === 'body' || errorStatus[endpoint.malformed] >= 500 ? { status: 400 } : {}),
  });
}

function parseReply(endpoint: Endpoint, answer: { status: number; body: unknown }): unknown {
  const schema = endpoint.reply[answer.status];
  if (!schema) throw new Error(`${endpoint.method} ${endpoint.path} does not declare the status ${answer.status}`);
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  // Field paths only: the values may be personal data.
  const fields = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ');
  throw new Error(`${endpoint.method} ${endpoint.path} answered what it does not declare: ${fields}`);
}

// Calls that change something by GET keep their wire paths. A link, an image, a prefetcher or another site can make a
// browser send a GET, but none of them can add this header.
function requireMarker(request: FastifyRequest): void {
  const marker = request.headers[MARKER_HEADER];
  if (marker === undefined || marker === '') throw new Refusal('KEY_MISSING', { detail: 'MARKER' });
  if (marker !== MARKER_VALUE) throw new Refusal('KEY_INVALID', { detail: 'MARKER' });
  const site = request.headers['sec-fetch-site'];
  const purpose = String(request.headers['sec-purpose'] ?? request.headers['purpose'] ?? '');
  const mode = request.headers['sec-fetch-mode'];
  if (site === 'cross-site') throw new Refusal('KEY_INVALID', { detail: 'CROSS_SITE' });
  if (mode === 'navigate' || mode === 'no-cors') throw new Refusal('KEY_INVALID', { detail: 'NAVIGATION' });
  if (purpose.includes('prefetch')) throw new Refusal('KEY_INVALID', { detail: 'PREFETCH' });
}

function readIdempotencyKey(request: FastifyRequest, endpoint: Endpoint): string | undefined {
  const key = request.headers[IDEMPOTENCY_HEADER];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new Refusal(endpoint.malformed, { detail: 'IDEMPOTENCY_KEY', status: 400 });
}
