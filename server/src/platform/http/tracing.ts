import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newReference, newSpanId, newTraceId } from '../ids.ts';
import { monotonicMs, sleep } from '../time.ts';

/** Destination of spans, as OpenTelemetry names it. Its exporter reads OTEL_EXPORTER_OTLP_HEADERS. */
export type SpanExport = {
  /** Address of a collector that speaks OTLP over HTTP; `/v1/traces` is added. */
  endpoint: string;
  serviceName: string;
  /** Share of sampled traces that begin here, 0 to 1. A caller's trace is sampled when the caller samples it. */
  share: number;
};

/** Position in a trace (W3C Trace Context). */
export type SpanIds = { traceId: string; spanId: string; flags: string };

export type OpenSpan = SpanIds & {
  /** @param isFailed whether the span's own side failed; a refused request has not */
  end(name: string, attributes: Attributes, isFailed: boolean): void;
};

type SpanStarter = (kind: 'server' | 'client', parent: SpanIds | undefined) => OpenSpan;

const TRACER_NAME = 'krapao';
const SAMPLED_FLAG = 1;
const HEX_RADIX = 16;
const WARN_EVERY_MS = 60_000;
/** Timeout of an export with its retries; also bounds the wait of a stop for an unreachable collector. */
const EXPORT_TIMEOUT_MS = 2_000;

let spanStarter: SpanStarter | undefined;

/**
 * Begins the span of a request or of an outbound call. Undefined when spans are not exported. Member ids, URLs with
 * parameters and bodies never become attributes, because they may hold secrets.
 */
export function beginSpan(kind: 'server' | 'client', parent: SpanIds | undefined): OpenSpan | undefined {
  return spanStarter?.(kind, parent);
}

/**
 * Exports the spans of this process. Loads the libraries only here: without an endpoint they cost nothing.
 * @param warn called with the reason of a failed export, at most once a minute
 * @returns a function that exports the last spans and stops
 */
export async function exportSpans(target: SpanExport, warn: (reason: string) => void): Promise<() => Promise<void>> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  api.diag.setLogger(diagnosticsTo(warn), { logLevel: api.DiagLogLevel.ERROR });
  const exporter = new OTLPTraceExporter({
    url: `${target.endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': target.serviceName }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(target.share) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer(TRACER_NAME);
  const contextOf = ({ traceId, spanId, flags }: SpanIds) =>
    api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, HEX_RADIX) & SAMPLED_FLAG,
      isRemote: true,
    });
  const spanKinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };
  spanStarter = (kind, parent) => {
    const span = tracer.startSpan(kind, { kind: spanKinds[kind] }, parent ? contextOf(parent) : api.ROOT_CONTEXT);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceId,
      spanId,
      flags: traceFlags.toString(HEX_RADIX).padStart(2, '0'),
      end(name, attributes, isFailed) {
        span.updateName(name).setAttributes(attributes);
        if (isFailed) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return async () => {
    spanStarter = undefined;
    await Promise.race([provider.shutdown(), sleep(EXPORT_TIMEOUT_MS)]);
  };
}

function diagnosticsTo(warn: (reason: string) => void) {
  let warnedMs = -WARN_EVERY_MS;
  const error = (reason: string): void => {
    if (monotonicMs() - warnedMs < WARN_EVERY_MS) return;
    warnedMs = monotonicMs();
    warn(reason);
  };
  const ignore = (): void => {};
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}

/** Ids that connect the log lines and outbound calls of one request. */
export type Trace = SpanIds & { requestId: string; span: OpenSpan | undefined };

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request whose URL can't be decoded. */
    trace: Trace | null;
  }
}

const TRACEPARENT_FORMAT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const REQUEST_ID_FORMAT = /^[\w-]{8,64}$/;
const INVALID_VERSION = 'ff';
const REQUEST_ID_LETTERS = 12;
const NOT_SAMPLED_FLAGS = '00';
const SERVER_ERROR = 500;

const currentTrace = new AsyncLocalStorage<Trace>();

/** Id of a request: the caller's `x-request-id` if well-formed, else a new one. */
export function requestId({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const requestedId = headers['x-request-id'];
  return typeof requestedId === 'string' && REQUEST_ID_FORMAT.test(requestedId)
    ? requestedId
    : newReference(REQUEST_ID_LETTERS);
}

/** Position of the caller in a trace (W3C Trace Context). */
function callerIds({ headers }: Pick<FastifyRequest, 'headers'>): SpanIds | undefined {
  const traceparent = headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && TRACEPARENT_FORMAT.exec(traceparent)) || [];
  const isValid =
    traceId !== undefined &&
    spanId !== undefined &&
    flags !== undefined &&
    !String(traceparent).startsWith(INVALID_VERSION);
  if (!isValid || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags };
}

/** Trace of a request: the caller's, or a new one, which is sampled only where spans are exported. */
function traceOf(request: FastifyRequest): Trace {
  const callerSpan = callerIds(request);
  const span = request.url.startsWith('/api/') ? beginSpan('server', callerSpan) : undefined;
  const spanIds = span ?? {
    ...(callerSpan ?? { traceId: newTraceId(), flags: NOT_SAMPLED_FLAGS }),
    spanId: newSpanId(),
  };
  return { traceId: spanIds.traceId, spanId: spanIds.spanId, flags: spanIds.flags, requestId: request.id, span };
}

/** Adds the request id to replies, and makes the trace available to everything that the request causes. */
export function useTrace(app: FastifyInstance): void {
  app.decorateRequest('trace', null);
  app.addHook('onRequest', async (request, reply) => {
    request.trace = traceOf(request);
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => endSpan(request, reply.statusCode));
  // Not in an earlier hook: reading the body would lose the context.
  app.addHook('preHandler', (request, _reply, done) =>
    request.trace ? currentTrace.run(request.trace, done) : done(),
  );
}

function endSpan({ trace, method, routeOptions, id }: FastifyRequest, status: number): void {
  // The path of the route, not of the request, which may hold secrets.
  const route = routeOptions.url;
  trace?.span?.end(
    route === undefined ? method : `${method} ${route}`,
    {
      'http.request.method': method,
      'http.response.status_code': status,
      'krapao.request_id': id,
      ...(route !== undefined && { 'http.route': route }),
    },
    status >= SERVER_ERROR,
  );
}

/** Id of the request that causes a log entry, for loggers that belong to no request. */
export function requestOfEntry(): { reqId?: string } {
  const trace = currentTrace.getStore();
  return trace ? { reqId: trace.requestId } : {};
}

/** Headers and span of an outbound call. No headers outside of a request without spans. */
export function traceCall(): { headers: Record<string, string>; span: OpenSpan | undefined } {
  const trace = currentTrace.getStore();
  const span = beginSpan('client', trace);
  const spanIds = span ?? (trace && { ...trace, spanId: newSpanId() });
  if (!spanIds) return { headers: {}, span };
  const traceparent = `00-${spanIds.traceId}-${spanIds.spanId}-${spanIds.flags}`;
  return { headers: { traceparent, ...(trace && { 'x-request-id': trace.requestId }) }, span };
}
