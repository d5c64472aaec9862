import { type Endpoint, commonErrors, memberErrors } from '@krapao/contract/endpoint';
import { type ErrorCode, errorStatus, type Failure } from '@krapao/contract/errors';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { isUnstorableText } from '../database/errors.ts';
import { Refusal, Unavailable } from '../errors.ts';

/** Status and detail of the framework's refusals before a handler runs. */
const FRAMEWORK_DETAILS: Readonly<Record<string, { status: number; detail: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, detail: 'MALFORMED_JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, detail: 'MALFORMED_JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, detail: 'CONTENT_LENGTH' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, detail: 'CONTENT_TYPE' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, detail: 'BODY_TOO_LARGE' },
  FST_ERR_BAD_URL: { status: 400, detail: 'MALFORMED_PATH' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, detail: 'PATH_TOO_LONG' },
};

/** Replies to a failed call: a refusal with its code, any other error with INTERNAL_SERVER_ERROR and the request id. */
export async function handleError(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const endpoint = request.routeOptions.config.endpoint;
  if (error instanceof Refusal) {
    if (!endpoint || isDeclared(endpoint, error.code)) return sendRefusal(reply, error);
    return sendDefect(new Error(`${error.code} is not declared by ${endpoint.path}`, { cause: error }), request, reply);
  }
  if (error instanceof Unavailable) return sendUnavailable(error, request, reply);
  // @fastify/static replies 403 for a folder and for an impossible path. `/` is a folder to it if the client accepts no
  // compression. Both are replied to like an unknown path.
  if (!endpoint && (error as FastifyError).statusCode === 403) {
    reply.callNotFound();
    await reply;
    return;
  }
  const frameworkError = frameworkDetail(error);
  if (frameworkError) {
    await sendFailure(reply, frameworkError.status, {
      message: endpoint?.malformed ?? 'NO_DATA',
      detail: frameworkError.detail,
    });
    return;
  }
  if (isUnstorableText(error)) {
    await sendFailure(reply, 400, { message: endpoint?.malformed ?? 'NO_DATA', detail: 'UNSTORABLE_TEXT' });
    return;
  }
  await sendDefect(error, request, reply);
}

/** Retry-After of a refusal whose cause ends at an unknown time, by status. */
const DEFAULT_RETRY_SECONDS: Readonly<Record<number, number>> = { 429: 60 };

async function sendRefusal(reply: FastifyReply, refusal: Refusal): Promise<void> {
  const { retryAfterSeconds = DEFAULT_RETRY_SECONDS[refusal.status] } = refusal;
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  await sendFailure(reply, refusal.status, {
    message: refusal.code,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    ...(refusal.unmet === undefined ? {} : { unmet: refusal.unmet }),
    ...(refusal.reference === undefined ? {} : { reference: refusal.reference }),
  });
}

async function sendDefect(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.log.error({ err: error, req: request }, 'request ended in a defect');
  request.server.onDefect(error, request);
  await sendFailure(reply, errorStatus.INTERNAL_SERVER_ERROR, {
    message: 'INTERNAL_SERVER_ERROR',
    requestId: request.id,
  });
}

async function sendUnavailable(error: Unavailable, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // One line without a stack, because every call writes it during an outage.
  request.log.warn(
    { reason: error.message, path: request.server.loggedPath(request.url) },
    'request refused, dependency unavailable',
  );
  const { retryAfterSeconds } = error;
  await sendRefusal(reply, new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds }));
}

async function sendFailure(reply: FastifyReply, status: number, failure: Failure): Promise<void> {
  const { tellsResult } = reply.request.routeOptions.config.endpoint ?? {};
  const body = tellsResult ? { ...failure, success: false, error: failure.message, result: null } : failure;
  await reply.code(status).type('application/json; charset=utf-8').send(body);
}

function frameworkDetail(error: Error): { status: number; detail: string } | undefined {
  const { code, statusCode } = error as FastifyError;
  const detail = FRAMEWORK_DETAILS[code];
  if (detail) return detail;
  // A prototype key in the body or an aborted connection is the sender's fault, whatever code the framework gives it.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, detail: 'MALFORMED' };
  return undefined;
}

/** Whether the endpoint may fail with the code: one of its own, or one that any call may have. */
export function isDeclared(endpoint: Endpoint, code: ErrorCode): boolean {
  return (
    code === endpoint.malformed ||
    endpoint.errors.includes(code) ||
    (commonErrors as readonly ErrorCode[]).includes(code) ||
    (endpoint.access !== 'public' && (memberErrors as readonly ErrorCode[]).includes(code))
  );
}

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;

/** Explains why a path is not served: 405 with the allowed methods, or 404. Includes routes added later. */
export function unknownPaths(
  app: FastifyInstance,
): (path: string, method: string) => { status: number; allow?: string; detail: string } {
  const servedRoutes: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', (options) => {
    if (options.url.includes('*')) return;
    const pattern = new RegExp(`^${options.url.replaceAll(/:\w+/g, '[^/]+')}$`);
    for (const method of [options.method].flat()) servedRoutes.push({ pattern, method });
  });
  return (path, method) => {
    const servedMethods = new Set(servedRoutes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    const allowedMethods = HTTP_METHODS.filter((method) => servedMethods.has(method));
    // The method is allowed, so the cause is a path parameter that is too long.
    if (allowedMethods.length === 0 || servedMethods.has(method)) return { status: 404, detail: 'UNKNOWN_PATH' };
    return { status: 405, allow: allowedMethods.join(', '), detail: 'METHOD_NOT_ALLOWED' };
  };
}
