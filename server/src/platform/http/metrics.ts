import type { FastifyInstance, FastifyRequest } from 'fastify';
import { metricsOfAll } from '../processes/joined-metrics.ts';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Prometheus metrics: of the process, and of every request by its route. Other modules register theirs here. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Times requests by route (never by path, which names members) and status. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const histogram = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    histogram.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** `/metrics`, for this machine alone unless the server has a port of its own for it. */
export function serveMetrics(app: FastifyInstance, registry: Registry, options: { loopbackOnly: boolean }): void {
  const collect = metricsOfAll(registry);
  app.get('/metrics', async (request, reply) => {
    if (options.loopbackOnly && !isFromHere(request)) {
      return reply.code(404).send({ message: 'NO_DATA', detail: 'UNKNOWN_PATH' });
    }
    return reply.type(registry.contentType).send(await collect());
  });
}

// A proxy on this machine forwards for others: a forwarded request is not local.
function isFromHere(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined;
  return !forwarded && /^(127\.|::1$|::ffff:127\.)/.test(address);
}
