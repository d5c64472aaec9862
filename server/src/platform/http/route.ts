import { IDEMPOTENCY_HEADER, MARKER_HEADER, MARKER_VALUE } from '@krapao/contract/constants';
import type { BodyOf, Endpoint, ParamsOf, ReplyOf } from '@krapao/contract/endpoint';
import { errorStatus } from '@krapao/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Refusal } from '../errors.ts';
import {
  type Anonymous,
  type Customer,
  type CustomerReader,
  customerOf,
  readVisitorCredentials,
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
  /** For headers of the reply; the handler returns status and body. */
  reply: FastifyReply;
};

/** Deeply read-only `T`, so that literals of a reply are inferred. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

const IDEMPOTENCY_KEY_FORMAT = /^[\x21-\x7e]{8,128}$/;

/**
 * Serves an endpoint as declared: authenticates the caller, checks the marker header, parses the input, runs the
 * handler, and parses the reply, so that no undeclared field leaves the server.
 */
export function route<E extends Endpoint, const R extends DeepReadonly<ReplyOf<E>>>(
  app: FastifyInstance,
  endpoint: E,
  // The reply has its own type parameter, so that a literal status stays literal.
  handler: (call: RouteInput<E>) => Promise<R>,
): void {
  // The handler of an upload reads the form itself, after all checks that don't need the file.
  if (endpoint.upload) uploadScope(app, (scope) => registerRoute(scope, endpoint, handler));
  else registerRoute(app, endpoint, handler);
}

function registerRoute<E extends Endpoint, const R extends DeepReadonly<ReplyOf<E>>>(
  app: FastifyInstance,
  endpoint: E,
  handler: (call: RouteInput<E>) => Promise<R>,
): void {
  app.route({
    method: endpoint.method,
    // A HEAD must not run a GET that changes something.
    exposeHeadRoute: endpoint.access === 'public' && !endpoint.changesState,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { endpoint, ...(endpoint.secretParams ? { secretParams: endpoint.secretParams } : {}) },
    // Runs before the body is read, so that the body of an unauthenticated caller stays unread.
    onRequest: (request) => app.calls.track(checkAccess(app, endpoint, request)),
    handler: async (request, reply) => {
      const result = await handler({
        params: parseInput(endpoint.params, request.params, endpoint, 'params') as ParamsOf<E>,
        body: parseInput(endpoint.body, request.body === undefined ? {} : request.body, endpoint, 'body') as BodyOf<E>,
        member: (endpoint.access === 'member' ? memberOf(request) : undefined) as RouteInput<E>['member'],
        customer: (endpoint.access === 'customer' ? customerOf(request) : undefined) as RouteInput<E>['customer'],
        idempotencyKey: endpoint.idempotent ? readIdempotencyKey(request, endpoint) : undefined,
        request,
        reply,
      });
      const status: number = result.status;
      return reply.code(status).send(parseReply(endpoint, result));
    },
  });
}

/** Checks the guards of the modules, the caller's credentials, and the marker header. */
async function checkAccess(app: FastifyInstance, endpoint: Endpoint, request: FastifyRequest): Promise<void> {
  for (const guard of app.guards) await guard(endpoint, request);
  if (endpoint.access === 'public') await countIssuedToken(app, request);
  if (endpoint.access === 'member') rememberMember(request, await authenticateMember(app, request));
  if (endpoint.access === 'customer') rememberCustomer(request, await findCustomer(app, endpoint, request));
  if (endpoint.changesState) requireMarker(request);
}

async function findCustomer(
  app: FastifyInstance,
  { acceptsNewVisitors, acceptsAnonymous }: Endpoint,
  request: FastifyRequest,
): Promise<Customer | NewVisitor | Anonymous> {
  const credentials = readVisitorCredentials(request);
  if (credentials === undefined) {
    if (request.headers.authorization === undefined) {
      if (acceptsAnonymous) return { kind: 'anonymous' };
      throw new Refusal('KEY_MISSING', { detail: 'AUTHORIZATION' });
    }
    const member = await authenticateMember(app, request);
    return { kind: 'member', id: member.id, member };
  }
  // Invalid visitor credentials always get the same reply.
  if (credentials === 'malformed') return app.authenticateVisitor({ guestId: '', secret: '' }, request);
  if (credentials.secret !== '') return app.authenticateVisitor(credentials, request);
  if (!acceptsNewVisitors) throw new Refusal('KEY_MISSING', { detail: 'GUEST_SECRET' });
  return { kind: 'new-visitor', id: credentials.guestId };
}

/** Finds the calling member, and counts the call for them, or for the network if the session has ended. */
async function authenticateMember(app: FastifyInstance, request: FastifyRequest): Promise<Member> {
  const member = await app.authenticate(request).catch((error: unknown) => {
    countWithoutMember(app, request, error);
    throw error;
  });
  app.floodGuard.countMember(request, member.id);
  return member;
}

/** @param error why no member was found: a refusal ends the session, anything else is an outage */
function countWithoutMember(app: FastifyInstance, request: FastifyRequest, error: unknown): void {
  if (error instanceof Refusal) app.floodGuard.countEndedSession(request);
  else app.floodGuard.countUnreadSession(request);
}

/** Counts a public call with an issued token. The call does not depend on the session, or on its being readable. */
async function countIssuedToken(app: FastifyInstance, request: FastifyRequest): Promise<void> {
  if (!app.floodGuard.isUncounted(request)) return;
  const member = await app.authenticate(request).catch((error: unknown) => countWithoutMember(app, request, error));
  if (member) app.floodGuard.countMember(request, member.id);
}

function parseInput(
  schema: z.ZodType | undefined,
  value: unknown,
  endpoint: Endpoint,
  inputName: 'params' | 'body',
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const invalidField = result.error.issues[0]?.path.join('.') ?? '';
  throw new Refusal(endpoint.malformed, {
    detail: invalidField === '' ? 'MALFORMED' : invalidField,
    // A malformed input is the sender's mistake, so the status is 400 even when the code has another.
    ...(inputName === 'body' || errorStatus[endpoint.malformed] >= 500 ? { status: 400 } : {}),
  });
}

function parseReply(endpoint: Endpoint, result: { status: number; body: unknown }): unknown {
  const schema = endpoint.replies[result.status];
  if (!schema) throw new Error(`${endpoint.method} ${endpoint.path} does not declare the status ${result.status}`);
  const parsedBody = schema.safeParse(result.body);
  if (parsedBody.success) return parsedBody.data;
  // Field paths only: the values may be personal data.
  const invalidFields = parsedBody.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ');
  throw new Error(`${endpoint.method} ${endpoint.path} replied what it does not declare: ${invalidFields}`);
}

// Some calls change state by GET, because their wire paths are fixed. A link, an image, a prefetcher or another site
// can make a browser send a GET, but can't add this header.
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
  if (typeof key === 'string' && IDEMPOTENCY_KEY_FORMAT.test(key)) return key;
  throw new Refusal(endpoint.malformed, { detail: 'IDEMPOTENCY_KEY', status: 400 });
}
