import { type Endpoint, commonErrors, memberErrors } from '@krapao/contract/endpoint';
import { type ErrorCode, errorStatus, type Failure } from '@krapao/contract/errors';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { isUnstorableText } from '../database/errors.ts';
import { Refusal, Unavailable } from '../errors.ts';

/** Error codes for refusals by the framework before a handler runs. */
const FRAMEWORK_DETAILS: Readonly<Record<string, { status: number; detail: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, detail: 'MALFORMED_JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, detail: 'MALFORMED_JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, detail: 'CONTENT_LENGTH' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, detail: 'CONTENT_TYPE' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, detail: 'BODY_TOO_LARGE' },
  FST_ERR_BAD_URL: { status: 400, detail: 'MALFORMED_PATH' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, detail: 'PATH_TOO_LONG' },
};

/** Answers a failed call: a refusal as its code, anything unforeseen as INTERNAL_SERVER_ERROR with the request id. */
export async function handleError(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const endpoint = request.routeOptions.config.endpoint;
  if (error instanceof Refusal) {
    if (!endpoint || isDeclared(endpoint, error.code)) return refuse(reply, error);
    return answerDefect(
      new Error(`${error.code} is not declared by ${endpoint.path}`, { cause: error }),
      request,
      reply,
    );
  }
  if (error instanceof Unavailable) return answerUnavailable(error, request, reply);
  // The file server throws this for folders (`/` is one for clients that accept no compression) and for paths that no
  // file can have.
  if (!endpoint && (error as FastifyError).statusCode === 403) {
    reply.callNotFound();
    await reply;
    return;
  }
  const known = frameworkDetail(error);
  if (known) {
    await send(reply, known.status, { message: endpoint?.malformed ?? 'NO_DATA', detail: known.detail });
    return;
  }
  if (isUnstorableText(error)) {
    await send(reply, 400, { message: endpoint?.malformed ?? 'NO_DATA', detail: 'UNSTORABLE_TEXT' });
    return;
  }
  await answerDefect(error, request, reply);
}

async function refuse(reply: FastifyReply, refusal: Refusal): Promise<void> {
  if (refusal.retryAfterSeconds !== undefined) void reply.header('retry-after', refusal.retryAfterSeconds);
  await send(reply, refusal.status, {
    message: refusal.code,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    ...(refusal.unmet === undefined ? {} : { unmet: refusal.unmet }),
  });
}

async function answerDefect(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.log.error({ err: error, req: request }, 'a call ended in a defect');
  request.server.onDefect(error, request);
  await send(reply, errorStatus.INTERNAL_SERVER_ERROR, { message: 'INTERNAL_SERVER_ERROR', requestId: request.id });
}

async function answerUnavailable(error: Unavailable, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // One line without a stack: during an outage every call writes it.
  request.log.warn({ reason: error.message, path: request.server.loggedPath(request.url) }, 'unavailable');
  const { retryAfterSeconds } = error;
  await refuse(reply, new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds }));
}

async function send(reply: FastifyReply, status: number, failure: Failure): Promise<void> {
  const { tellsResult } = reply.request.routeOptions.config.endpoint ?? {};
  const body = tellsResult ? { ...failure, success: false, error: failure.message, result: null } : failure;
  await reply.code(status).type('application/json; charset=utf-8').send(body);
}

function frameworkDetail(error: Error): { status: number; detail: string } | undefined {
  const { code, statusCode } = error as FastifyError;
  const known = FRAMEWORK_DETAILS[code];
  if (known) return known;
  // A prototype key in the body or an aborted connection is the sender's fault, whatever the framework calls it.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, detail: 'MALFORMED' };
  return undefined;
}

/** Whether a call may fail with this code: its own list, or one of those that any call has. */
export function isDeclared(endpoint: Endpoint, code: ErrorCode): boolean {
  return (
    code === endpoint.malformed ||
    endpoint.errors.includes(code) ||
    (commonErrors as readonly ErrorCode[]).includes(code) ||
    (endpoint.access !== 'public' && (memberErrors as readonly ErrorCode[]).includes(code))
  );
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/**
 * Says why a path is not served: 405 with its methods, 404 when it has none. Routes that are added later are known too.
 */
export function unknownPaths(
  app: FastifyInstance,
): (path: string, method: string) => { status: number; allow?: string; detail: string } {
  const served: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', (options) => {
    if (options.url.includes('*')) return;
    const pattern = new RegExp(`^${options.url.replaceAll(/:\w+/g, '[^/]+')}$`);
    for (const method of [options.method].flat()) served.push({ pattern, method });
  });
  return (path, method) => {
    const found = new Set(served.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    const methods = METHODS.filter((method) => found.has(method));
    // With the right method, the cause is a path parameter that is too long.
    if (methods.length === 0 || found.has(method)) return { status: 404, detail: 'UNKNOWN_PATH' };
    return { status: 405, allow: methods.join(', '), detail: 'METHOD_NOT_ALLOWED' };
  };
}
