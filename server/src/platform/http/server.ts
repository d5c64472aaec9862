import underPressure from '@fastify/under-pressure';
import { UPLOAD_TIMEOUT_MS } from '@krapao/contract/constants';
import type { Endpoint } from '@krapao/contract/endpoint';
import fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { LogLevel } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { LogOutput } from '../start/rotating-file.ts';
import type { AddressRewriterForHost } from './requested-host.ts';
import {
  useBodyTimeout,
  limitConnections,
  floodGuard,
  EVENT_LOOP_DELAY_MAX_MS,
  HTTP_LIMITS,
  type HttpLimits,
} from './limits.ts';
import type { AuthenticateVisitor, Authenticate, Guard } from './caller.ts';
import { handleError } from './error-handler.ts';
import { callerAddress, parseNetworks } from './caller-address.ts';
import { logOptions, createPathRedactor, type PathRedactor, toSecurityEvent } from './log.ts';
import { API_HEADERS, COMMON_HEADERS } from './web-app/pages.ts';
import type { UploadTimeouts } from './upload.ts';
import { requestId, useTrace } from './tracing.ts';
import { createUploadAdmission, type UploadAdmission } from './upload-admission.ts';
import { sleep } from '../time.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** Parameters of the path that no log may show. */
    secretParams?: readonly string[];
  }
  interface FastifyInstance {
    /** Set by the module that knows sessions. */
    authenticate: Authenticate;
    /** Set by the module that knows visitors. */
    authenticateVisitor: AuthenticateVisitor;
    /** Rewrites own and outside URLs to the caller's host; set where both are known. */
    addressRewriterFor: AddressRewriterForHost;
    /** Run in order before every call of the API. */
    guards: Guard[];
    /** Called for every unforeseen failure. */
    onDefect: (error: Error, request: FastifyRequest) => void;
    /** Timeouts of uploads. */
    uploadTimeouts: UploadTimeouts;
    /** Admits uploads. */
    admitUpload: UploadAdmission;
    /** The path of a request as a log may show it. */
    loggedPath: PathRedactor['of'];
    /** True from the moment that the server was asked to stop. */
    draining: boolean;
    /** Calls of endpoints whose handlers have not ended. */
    calls: InFlightTracker;
  }
}

export type HttpServerOptions = {
  logLevel: LogLevel;
  /** Where its lines go; left out: to standard output. */
  logOutput?: LogOutput | undefined;
  /** Proxies whose X-Forwarded-For is trusted, in the form of `parseNetworks`. */
  trustedProxies: string;
  /** Requests per address and minute before it is refused; flood protection, not a business limit. */
  requestsPerMinute: number;
  /** Left out: the usual ones. */
  httpLimits?: HttpLimits;
  /** Event loop delay past which calls are refused with Retry-After; left out: the default, 0: no limit. */
  eventLoopDelayMaxMs?: number;
  onDefect?: (error: Error, request: FastifyRequest) => void;
};

const BODY_LIMIT_BYTES = 64 * 1024;
/** How many bytes of an upload have to arrive in each window. */
const UPLOAD_WINDOW_BYTES = 16 * 1024;
/** How many times per timeout connections are checked. */
const LOOKS = 10;
const PARAM_LENGTH_MAX = 256;

// Any other offer to upgrade is declined by serving the request as it is: clients that can do HTTP/2 send `Upgrade: h2c` with every
// first request over plain HTTP, and would otherwise lose the connection without an answer.
const isWebSocketOfSockets = ({ url, headers }: FastifyRequest['raw']): boolean =>
  url?.startsWith('/socket.io/') === true && headers.upgrade?.toLowerCase() === 'websocket';

/** The HTTP server without any route of the product: limits, headers, logging, and one form of failures. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const limits = options.httpLimits ?? HTTP_LIMITS;
  const patienceMs = limits.requestPatienceMs;
  const paths = createPathRedactor();
  const isTrustedProxy = parseNetworks(options.trustedProxies);
  if (!isTrustedProxy) throw new Error(`"${options.trustedProxies}" is not a list of networks`);
  const app = fastify({
    logger: logOptions(options.logLevel, paths.of, options.logOutput),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: isTrustedProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    // A HEAD must not run a GET that changes something.
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // For the head and for uploads; any other body has the timeout of the head.
    http: {
      headersTimeout: patienceMs,
      connectionsCheckingInterval: Math.ceil(patienceMs / LOOKS),
      shouldUpgradeCallback: isWebSocketOfSockets,
    },
    requestTimeout: UPLOAD_TIMEOUT_MS + patienceMs,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreTrailingSlash: false },
    return503OnClosing: false,
    // A path that can't be decoded never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      addHeaders(reply);
      void handleError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
      const body = `{"message":"NO_DATA","detail":"${isSlow ? 'TOO_SLOW' : 'MALFORMED_REQUEST'}"}`;
      const status = isSlow ? '408 Request Timeout' : '400 Bad Request';
      // A client that doesn't close its side would keep the connection open for ever.
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        () => socket.destroy(),
      );
    },
  });
  useTrace(app);
  useCalls(app);
  app.decorate('guards', []);
  app.decorate('loggedPath', paths.of);
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.secretParams) paths.hide(url, config.secretParams);
  });
  app.decorate('addressRewriterFor', () => (address: string) => address);
  app.decorate('draining', false);
  app.decorate('uploadTimeouts', {
    wholeMs: UPLOAD_TIMEOUT_MS,
    windowMs: limits.uploadWindowMs,
    bytesPerWindow: UPLOAD_WINDOW_BYTES,
  });
  app.decorate('admitUpload', createUploadAdmission(limits.uploads));
  limitConnections(app.server, limits, isTrustedProxy);
  app.decorate('onDefect', options.onDefect ?? (() => {}));
  app.decorate('authenticate', () => Promise.reject(new Error('no module knows sessions')));
  app.decorate('authenticateVisitor', () => Promise.reject(new Error('no module knows visitors')));
  useJsonOnly(app);
  app.setErrorHandler(handleError);
  useHeaders(app);
  await useLimits(app, options);
  useBodyTimeout(app, patienceMs);
  useRequestLine(app);
  return app;
}

// Also webhooks and files, which no endpoint of the contract declares.
function useCalls(app: FastifyInstance): void {
  const calls = trackInFlight();
  app.decorate('calls', calls);
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const answer = handler.call(this, request, reply);
      return answer instanceof Promise ? calls.track(answer) : answer;
    };
  });
}

// The API takes JSON only; a module that takes files adds its own parser to its own route. Many clients send the
// content type with no body, which is an empty body, not a malformed one.
function useJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}

function addHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) {
    if (!reply.hasHeader(name)) void reply.header(name, value);
  }
  if (!reply.hasHeader('content-security-policy')) void reply.headers(API_HEADERS);
}

function useHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    addHeaders(reply);
    // Without it a browser's idle connections keep a stopping server waiting for minutes.
    if (request.server.draining) reply.header('connection', 'close');
  });
}

async function useLimits(app: FastifyInstance, options: HttpServerOptions): Promise<void> {
  const waitSeconds = floodGuard(options.requestsPerMinute);
  app.addHook('onRequest', async (request) => {
    // Files cost next to nothing, and health checks must not be refused.
    if (!request.url.startsWith('/api/')) return;
    const retryAfterSeconds = waitSeconds(callerAddress(request).group);
    if (retryAfterSeconds !== undefined) throw new Refusal('REQUEST_LIMIT', { detail: 'ADDRESS', retryAfterSeconds });
  });
  await app.register(underPressure, {
    maxEventLoopDelay: options.eventLoopDelayMaxMs ?? EVENT_LOOP_DELAY_MAX_MS,
    pressureHandler: (request) => {
      if (request.url.startsWith('/health/')) return;
      throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds: 2 });
    },
  });
}

// One log line per request, written at its end, is half the work of the framework's two.
function useRequestLine(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({
      method: request.method,
      path: app.loggedPath(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      trace: request.trace?.traceId,
      security: toSecurityEvent(request.method, request.routeOptions.url, reply.statusCode),
      ip: callerAddress(request).address,
    });
  });
}

export type InFlightTracker = {
  /** @returns what the work returns */
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves when idle or after `withinMs`; work started while waiting is included. */
  ended(withinMs: number): Promise<void>;
};

/**
 * The calls whose handlers have not ended. A closed server has no connections left, but a handler whose caller is gone
 * still works: what it needs must not be closed before it has ended.
 */
export function trackInFlight(): InFlightTracker {
  const works = new Set<Promise<unknown>>();
  return {
    track(work) {
      works.add(work);
      const forget = (): void => void works.delete(work);
      work.then(forget, forget);
      return work;
    },
    async ended(withinMs) {
      const none = new AbortController();
      let isOver = false;
      const limit = sleep(withinMs, none.signal).then(() => (isOver = true));
      while (works.size > 0 && !isOver) await Promise.race([Promise.allSettled(works), limit]);
      none.abort();
    },
  };
}
