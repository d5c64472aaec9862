import type { Attributes } from '@opentelemetry/api';
import { monotonicMs, sleep } from '../time.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newReference, newSpanId, newTraceId } from '../ids.ts';

/** Where spans go, as OpenTelemetry names it. Headers (OTEL_EXPORTER_OTLP_HEADERS) are read by its own exporter. */
export type SpanExport = {
  /** Address of a collector that speaks OTLP over HTTP; `/v1/traces` is added. */
  endpoint: string;
  serviceName: string;
  /** Share of the traces that begin here, 0 to 1; a caller's trace is recorded when the caller records it. */
  share: number;
};

/** Place in a trace (W3C Trace Context). */
export type SpanIds = { traceId: string; spanId: string; flags: string };

export type OpenSpan = SpanIds & {
  /** @param isFailed the span's own side failed; a refused request has not */
  end(name: string, attributes: Attributes, isFailed: boolean): void;
};

type Begin = (kind: 'server' | 'client', parent: SpanIds | undefined) => OpenSpan;

const SCOPE = 'krapao';
const SAMPLED = 1;
const HEX = 16;
const WARN_EVERY_MS = 60_000;
/** Of an export with its retries; a stop waits no longer for a collector that is away. */
const EXPORT_MS = 2_000;

let begin: Begin | undefined;

/**
 * Begins the span of a request or of a call to the outside. Undefined when spans are not exported. Ids of members, addresses
 * with their parameters and bodies never become attributes: they may hold secrets.
 */
export function beginSpan(kind: 'server' | 'client', parent: SpanIds | undefined): OpenSpan | undefined {
  return begin?.(kind, parent);
}

/**
 * Exports the spans of this process. The libraries are loaded only here: without an endpoint they cost nothing.
 * @param warn why spans were not exported, at most once a minute
 * @returns exports the last spans and ends it
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
    timeoutMillis: EXPORT_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': target.serviceName }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(target.share) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer(SCOPE);
  const contextOf = ({ traceId, spanId, flags }: SpanIds) =>
    api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, HEX) & SAMPLED,
      isRemote: true,
    });
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };
  begin = (kind, parent) => {
    const span = tracer.startSpan(kind, { kind: kinds[kind] }, parent ? contextOf(parent) : api.ROOT_CONTEXT);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceId,
      spanId,
      flags: traceFlags.toString(HEX).padStart(2, '0'),
      end(name, attributes, isFailed) {
        span.updateName(name).setAttributes(attributes);
        if (isFailed) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return async () => {
    begin = undefined;
    await Promise.race([provider.shutdown(), sleep(EXPORT_MS)]);
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

/** What ties the lines and calls of one request together. */
export type Trace = SpanIds & { requestId: string; span: OpenSpan | undefined };

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request whose address can't be decoded. */
    trace: Trace | null;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const REQUEST_ID = /^[\w-]{8,64}$/;
const INVALID_VERSION = 'ff';
const REQUEST_ID_LETTERS = 12;
const NOT_SAMPLED = '00';
const SERVER_ERROR = 500;

const current = new AsyncLocalStorage<Trace>();

/** Id of a request: the caller's `x-request-id` when it has the form of one. */
export function requestId({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newReference(REQUEST_ID_LETTERS);
}

/** The caller's place in a trace (W3C Trace Context). */
function callerIds({ headers }: Pick<FastifyRequest, 'headers'>): SpanIds | undefined {
  const sent = headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof sent === 'string' && TRACEPARENT.exec(sent)) || [];
  const isValid =
    traceId !== undefined && spanId !== undefined && flags !== undefined && !String(sent).startsWith(INVALID_VERSION);
  if (!isValid || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags };
}

/** The trace of a request: its caller's, or a new one, which is sampled only where spans are exported. */
function traceOf(request: FastifyRequest): Trace {
  const caller = callerIds(request);
  const span = request.url.startsWith('/api/') ? beginSpan('server', caller) : undefined;
  const ids = span ?? { ...(caller ?? { traceId: newTraceId(), flags: NOT_SAMPLED }), spanId: newSpanId() };
  return { traceId: ids.traceId, spanId: ids.spanId, flags: ids.flags, requestId: request.id, span };
}

/** Answers with the request's id, and lets everything that the request causes know its trace. */
export function useTrace(app: FastifyInstance): void {
  app.decorateRequest('trace', null);
  app.addHook('onRequest', async (request, reply) => {
    request.trace = traceOf(request);
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => endSpan(request, reply.statusCode));
  // Not earlier: reading the body would lose it.
  app.addHook('preHandler', (request, _reply, done) => (request.trace ? current.run(request.trace, done) : done()));
}

function endSpan({ trace, method, routeOptions, id }: FastifyRequest, status: number): void {
  // The path of the route, not of the request: it may hold secrets.
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

/** A call to the outside: headers that carry the trace, none outside of a request without spans, and the call's own span. */
export function traceCall(): { headers: Record<string, string>; span: OpenSpan | undefined } {
  const trace = current.getStore();
  const span = beginSpan('client', trace);
  const ids = span ?? (trace && { ...trace, spanId: newSpanId() });
  if (!ids) return { headers: {}, span };
  const traceparent = `00-${ids.traceId}-${ids.spanId}-${ids.flags}`;
  return { headers: { traceparent, ...(trace && { 'x-request-id': trace.requestId }) }, span };
}
