import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newReference, newSpanId, newTraceId } from '../../ids.ts';
import { beginSpan, type OpenSpan, type SpanIds } from './spans.ts';

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
export function requestIdOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newReference(REQUEST_ID_LETTERS);
}

/** The caller's place in a trace (W3C Trace Context). */
function callerIds({ headers }: Pick<FastifyRequest, 'headers'>): SpanIds | undefined {
  const given = headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof given === 'string' && TRACEPARENT.exec(given)) || [];
  const isValid =
    traceId !== undefined && spanId !== undefined && flags !== undefined && !String(given).startsWith(INVALID_VERSION);
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
