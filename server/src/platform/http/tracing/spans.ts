import type { Attributes } from '@opentelemetry/api';
import { monotonicMs, sleep } from '../../clock.ts';

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
export async function exportSpans(wish: SpanExport, warn: (reason: string) => void): Promise<() => Promise<void>> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  api.diag.setLogger(diagnosticsTo(warn), { logLevel: api.DiagLogLevel.ERROR });
  const exporter = new OTLPTraceExporter({
    url: `${wish.endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': wish.serviceName }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(wish.share) }),
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
