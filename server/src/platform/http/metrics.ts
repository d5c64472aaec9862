import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../time.ts';
import { aggregateMetrics } from '../processes/aggregate-metrics.ts';
import { collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { type NetworkMatcher, parseNetworks } from './caller-address.ts';
import { statusPage } from './health.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { OUTBOUND_CALLS, type OutboundCall } from './outbound.ts';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A metric that can't be read, because the database is away, is left out: it must not take all others with it. */
class SteadyRegistry extends Registry {
  override registerMetric<T extends string>(metric: Metric<T>): void {
    const collecting = metric as Metric<T> & { collect?: () => Promise<void> | void };
    const { collect } = collecting;
    if (collect) {
      collecting.collect = async () => {
        try {
          await collect.call(collecting);
        } catch {
          collecting.reset();
        }
      };
    }
    super.registerMetric(metric);
  }
}

/** Whether this node can write to the database, and how many sockets it serves. */
export function measureNode(
  registry: Registry,
  { isReady, sockets }: { isReady: () => Promise<boolean>; sockets: () => number },
): void {
  new Gauge({
    name: 'krapao_ready',
    help: '1: the database takes writes of this node, and it does not drain',
    // A node is as ready as the least ready of its processes.
    aggregator: 'min',
    registers: [registry],
    async collect() {
      this.set((await isReady()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'krapao_sockets_open',
    help: 'Open connections of Socket.IO',
    registers: [registry],
    collect() {
      this.set(sockets());
    },
  });
}

/** Prometheus metrics: of the process, and of every request by its route. Other modules register theirs here. */
export function createMetrics(): Registry {
  const registry = new SteadyRegistry();
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

/** `/metrics`, and `/status` for people; for this machine alone unless the server has a port of its own for it. */
export function serveMetrics(
  app: FastifyInstance,
  registry: Registry,
  options: { loopbackOnly: boolean; version: string; clock: Clock },
): void {
  const collect = aggregateMetrics(registry);
  app.get('/metrics', async (request, reply) => {
    if (options.loopbackOnly && !isFromHere(request)) {
      return reply.code(404).send({ message: 'NO_DATA', detail: 'UNKNOWN_PATH' });
    }
    return reply.type(registry.contentType).send(await collect());
  });
  app.get('/status', async (request, reply) => {
    if (options.loopbackOnly && !isFromHere(request)) {
      return reply.code(404).send({ message: 'NO_DATA', detail: 'UNKNOWN_PATH' });
    }
    const { version, clock } = options;
    return reply.type('text/plain; charset=utf-8').send(statusPage(await collect(), { version, now: clock.now() }));
  });
}

const isLoopback = parseNetworks('loopback') as NetworkMatcher;

// A proxy on this machine forwards for others: a forwarded request is not local.
function isFromHere(request: FastifyRequest): boolean {
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined;
  return !forwarded && isLoopback(request.socket.remoteAddress);
}

const OUTBOUND_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Times calls by counterparty and outcome: `answered`, `failed` (status 500 or above), `unsent` (no connection),
 * `unknown` (it may have taken effect).
 * @param partyOf the name of the counterparty at an address
 * @returns stops it
 */
export function measureOutbound(registry: Registry, partyOf: (url: string) => string): () => void {
  const histogram = new Histogram({
    name: 'krapao_counterparty_call_seconds',
    help: 'Calls to counterparties, from the request to the last byte of the answer or the failure',
    labelNames: ['party', 'outcome'],
    buckets: OUTBOUND_SECONDS,
    registers: [registry],
  });
  const observe = (message: unknown): void => {
    const { url, outcome, seconds } = message as OutboundCall;
    histogram.observe({ party: partyOf(url), outcome }, seconds);
  };
  subscribe(OUTBOUND_CALLS, observe);
  return () => void unsubscribe(OUTBOUND_CALLS, observe);
}
