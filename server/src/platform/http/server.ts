import underPressure from '@fastify/under-pressure';
import { UPLOAD_TIMEOUT_MS } from '@krapao/contract/constants';
import type { Endpoint } from '@krapao/contract/endpoint';
import fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { LogLevel } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { LogOutput } from '../start/rotating-file.ts';
import { sleep } from '../time.ts';
import { callerAddress, type NetworkMatcher, parseNetworks } from './caller-address.ts';
import type { AuthenticateVisitor, Authenticate, Guard } from './caller.ts';
import { handleError } from './error-handler.ts';
import { createFloodGuard, type FloodGuard } from './flood-guard.ts';
import { useBodyTimeout, limitConnections, EVENT_LOOP_DELAY_MAX_MS, HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { logOptions, createPathRedactor, type PathRedactor, toSecurityEvent } from './log.ts';
import type { AddressRewriterForHost } from './requested-host.ts';
import { requestId, useTrace } from './tracing.ts';
import { createUploadAdmission, type UploadAdmission } from './upload-admission.ts';
import type { UploadTimeouts } from './upload.ts';
import { API_HEADERS, COMMON_HEADERS } from './web-app/pages.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** Path parameters that the log must hide. */
    secretParams?: readonly string[];
  }
  interface FastifyInstance {
    /** The module of sessions sets it. */
    authenticate: Authenticate;
    /** The module of visitors sets it. */
    authenticateVisitor: AuthenticateVisitor;
    /** Rewrites own and outside URLs to the caller's host. */
    addressRewriterFor: AddressRewriterForHost;
    /** Whether a token of a session was issued by this installation; false until it is set. */
    isIssuedToken: (token: string) => boolean;
    /** Whether an address is a trusted proxy. */
    isTrustedProxy: NetworkMatcher;
    /** Counts the calls of members and networks. */
    floodGuard: FloodGuard;
    /** Run in order before every API call. */
    guards: Guard[];
    /** Called for every unexpected error. */
    onDefect: (error: Error, request: FastifyRequest) => void;
    uploadTimeouts: UploadTimeouts;
    admitUpload: UploadAdmission;
    /** The path of a request for logs. */
    loggedPath: PathRedactor['of'];
    /** Whether the server was asked to stop. */
    draining: boolean;
    /** Calls whose handlers have not ended. */
    calls: InFlightTracker;
  }
}

export type HttpServerOptions = {
  logLevel: LogLevel;
  /** Destination of log lines; default: standard output. */
  logOutput?: LogOutput | undefined;
  /** Trusted proxies, whose X-Forwarded-For, -Host and -Proto are believed, in the format of `parseNetworks`. */
  trustedProxies: string;
  /** Maximum calls per minute of a member, and of an address without a session. Protects from floods. */
  requestsPerMinute: number;
  /** Default: {@link HTTP_LIMITS}. */
  httpLimits?: HttpLimits;
  /** Maximum event loop delay. Above it calls are refused with Retry-After; 0: no limit. */
  eventLoopDelayMaxMs?: number;
  onDefect?: (error: Error, request: FastifyRequest) => void;
};

const BODY_LIMIT_BYTES = 64 * 1024;
/** Bytes of an upload that have to arrive in each window. */
const UPLOAD_WINDOW_BYTES = 16 * 1024;
/** Number of connection checks per timeout. */
const CHECKS_PER_TIMEOUT = 10;
const PARAM_LENGTH_MAX = 256;

// Other upgrade offers are ignored and the request is served: clients that can do HTTP/2 send `Upgrade: h2c` with every
// first request over plain HTTP, and would otherwise lose the connection without a reply.
const isWebSocketOfSockets = ({ url, headers }: FastifyRequest['raw']): boolean =>
  url?.startsWith('/socket.io/') === true && headers.upgrade?.toLowerCase() === 'websocket';

/** Creates the HTTP server without routes of the product: limits, headers, logging, and one format of failures. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const limits = options.httpLimits ?? HTTP_LIMITS;
  const patienceMs = limits.requestTimeoutMs;
  const pathRedactor = createPathRedactor();
  const isTrustedProxy = parseNetworks(options.trustedProxies);
  if (!isTrustedProxy) throw new Error(`"${options.trustedProxies}" is not a list of networks`);
  const app = fastify({
    logger: logOptions(options.logLevel, pathRedactor.of, options.logOutput),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: isTrustedProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    // Health checks and links of files are read by HEAD too. `route.ts` excludes GETs that change something.
    exposeHeadRoutes: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // Timeout of the head and of uploads. Other bodies have the timeout of the head.
    http: {
      headersTimeout: patienceMs,
      connectionsCheckingInterval: Math.ceil(patienceMs / CHECKS_PER_TIMEOUT),
      shouldUpgradeCallback: isWebSocketOfSockets,
    },
    requestTimeout: UPLOAD_TIMEOUT_MS + patienceMs,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreTrailingSlash: false },
    return503OnClosing: false,
    // Handles a path that can't be decoded, which never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      addHeaders(reply);
      void handleError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
      const body = `{"message":"NO_DATA","detail":"${isSlow ? 'TOO_SLOW' : 'MALFORMED_REQUEST'}"}`;
      const status = isSlow ? '408 Request Timeout' : '400 Bad Request';
      // A client that doesn't close its side would keep the connection open forever.
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        () => socket.destroy(),
      );
    },
  });
  useTrace(app);
  useCalls(app);
  decorateCallers(app, isTrustedProxy, options.requestsPerMinute);
  app.decorate('loggedPath', pathRedactor.of);
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.secretParams) pathRedactor.hide(url, config.secretParams);
  });
  app.decorate('addressRewriterFor', () => (address: string) => address);
  app.decorate('draining', false);
  app.decorate('uploadTimeouts', {
    wholeMs: UPLOAD_TIMEOUT_MS,
    windowMs: limits.uploadWindowMs,
    bytesPerWindow: UPLOAD_WINDOW_BYTES,
  });
  app.decorate('admitUpload', createUploadAdmission(limits.uploads));
  limitConnections(app.server, limits, { isTrustedProxy, isIssuedToken: (token) => app.isIssuedToken(token) });
  app.decorate('onDefect', options.onDefect ?? (() => {}));
  useJsonOnly(app);
  app.setErrorHandler(handleError);
  useHeaders(app);
  await useLimits(app, options);
  useBodyTimeout(app, patienceMs);
  useRequestLine(app);
  return app;
}

function decorateCallers(app: FastifyInstance, isTrustedProxy: NetworkMatcher, requestsPerMinute: number): void {
  app.decorate('guards', []);
  app.decorate('isTrustedProxy', isTrustedProxy);
  app.decorate('isIssuedToken', () => false);
  app.decorate(
    'floodGuard',
    createFloodGuard(requestsPerMinute, (token) => app.isIssuedToken(token)),
  );
  app.decorate('authenticate', () => Promise.reject(new Error('no module knows sessions')));
  app.decorate('authenticateVisitor', () => Promise.reject(new Error('no module knows visitors')));
}

// Tracks all handlers, including webhooks and files, which the contract does not declare.
function useCalls(app: FastifyInstance): void {
  const calls = trackInFlight();
  app.decorate('calls', calls);
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result = handler.call(this, request, reply);
      return result instanceof Promise ? calls.track(result) : result;
    };
  });
}

// Accepts JSON only; a module that takes files adds its own parser. Many clients send the content type with no body,
// which counts as an empty body.
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
    // Otherwise a browser's idle connections would delay the stop of the server by minutes.
    if (request.server.draining) reply.header('connection', 'close');
  });
}

async function useLimits(app: FastifyInstance, options: HttpServerOptions): Promise<void> {
  app.addHook('onRequest', async (request) => {
    // Files cost next to nothing, and health checks must not be refused.
    if (request.url.startsWith('/api/')) app.floodGuard.admit(request);
  });
  await app.register(underPressure, {
    maxEventLoopDelay: options.eventLoopDelayMaxMs ?? EVENT_LOOP_DELAY_MAX_MS,
    pressureHandler: (request) => {
      if (request.url.startsWith('/health/')) return;
      throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds: 2 });
    },
  });
}

// Logs one line per request, at its end: half the work of the framework's two lines.
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
  /** @returns the result of the work */
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves when idle or after `withinMs`; work started while waiting is included. */
  ended(withinMs: number): Promise<void>;
};

/**
 * Tracks calls whose handlers have not ended. A closed server has no connections left, but a handler whose caller has
 * disconnected still works, so its dependencies must stay open.
 */
export function trackInFlight(): InFlightTracker {
  const pending = new Set<Promise<unknown>>();
  return {
    track(work) {
      pending.add(work);
      const removeFromPending = (): void => void pending.delete(work);
      work.then(removeFromPending, removeFromPending);
      return work;
    },
    async ended(withinMs) {
      const waitAbort = new AbortController();
      let isTimedOut = false;
      const timeout = sleep(withinMs, waitAbort.signal).then(() => (isTimedOut = true));
      while (pending.size > 0 && !isTimedOut) await Promise.race([Promise.allSettled(pending), timeout]);
      waitAbort.abort();
    },
  };
}
