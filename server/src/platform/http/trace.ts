import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newReference, newSpanId, newTraceId } from '../ids.ts';

/** What ties the lines and calls of one request together. */
export type Trace = { requestId: string; traceId: string; flags: string };

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

const current = new AsyncLocalStorage<Trace>();

/** Id of a request: the caller's `x-request-id` when it has the form of one. */
export function requestIdOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newReference(REQUEST_ID_LETTERS);
}

/** The caller's trace (W3C Trace Context), or a new one that is not sampled. */
export function traceIdOf({ headers }: Pick<FastifyRequest, 'headers'>): { traceId: string; flags: string } {
  const given = headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof given === 'string' && TRACEPARENT.exec(given)) || [];
  const isValid =
    traceId !== undefined && spanId !== undefined && flags !== undefined && !String(given).startsWith(INVALID_VERSION);
  if (!isValid || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return { traceId: newTraceId(), flags: NOT_SAMPLED };
  return { traceId, flags };
}

/** Answers with the request's id, and lets everything that the request causes know its trace. */
export function useTrace(app: FastifyInstance): void {
  app.decorateRequest('trace', null);
  app.addHook('onRequest', async (request, reply) => {
    request.trace = { requestId: request.id, ...traceIdOf(request) };
    reply.header('x-request-id', request.id);
  });
  // Not earlier: reading the body would lose it.
  app.addHook('preHandler', (request, _reply, done) => (request.trace ? current.run(request.trace, done) : done()));
}

/** Headers by which a call to the outside carries the trace of the request that causes it; none outside of a request. */
export function traceHeaders(): Record<string, string> {
  const trace = current.getStore();
  if (!trace) return {};
  return {
    traceparent: `00-${trace.traceId}-${newSpanId()}-${trace.flags}`,
    'x-request-id': trace.requestId,
  };
}
