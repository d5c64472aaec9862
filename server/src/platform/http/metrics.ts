import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { aggregateMetrics } from '../processes/aggregate-metrics.ts';
import type { Clock } from '../time.ts';
import { type NetworkMatcher, parseNetworks } from './caller-address.ts';
import { statusPage } from './health.ts';
import { OUTBOUND_CALLS, type OutboundCall } from './outbound.ts';

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Omits a metric that can't be read because the database is unavailable, instead of failing all others. */
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

/** Gauges of a node: whether it can write to the database, and its number of sockets. */
export function measureNode(
  registry: Registry,
  { isReady, sockets }: { isReady: () => Promise<boolean>; sockets: () => number },
): void {
  new Gauge({
    name: 'krapao_ready',
    help: '1: the database takes writes of this node, and it does not drain',
    // A node is as ready as its least ready process.
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

/** Prometheus metrics of the process and of requests. Modules register theirs in it. */
export function createMetrics(): Registry {
  const registry = new SteadyRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Times requests by route (never by path, which names members) and status. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const histogram = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from the first byte of a request to the last of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    histogram.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/**
 * Serves `/metrics`, and `/status` for people. Only this machine can read them, unless the server has a separate port
 * for them.
 */
export function serveMetrics(
  app: FastifyInstance,
  registry: Registry,
  options: { loopbackOnly: boolean; version: string; clock: Clock },
): void {
  const collectText = aggregateMetrics(registry);
  app.get('/metrics', async (request, reply) => {
    if (options.loopbackOnly && !isLocalRequest(request)) {
      return reply.code(404).send({ message: 'NO_DATA', detail: 'UNKNOWN_PATH' });
    }
    return reply.type(registry.contentType).send(await collectText());
  });
  app.get('/status', async (request, reply) => {
    if (options.loopbackOnly && !isLocalRequest(request)) {
      return reply.code(404).send({ message: 'NO_DATA', detail: 'UNKNOWN_PATH' });
    }
    const { version, clock } = options;
    return reply.type('text/plain; charset=utf-8').send(statusPage(await collectText(), { version, now: clock.now() }));
  });
}

const isLoopback = parseNetworks('loopback') as NetworkMatcher;

// A proxy on this machine forwards remote requests, so a forwarded request is not local.
function isLocalRequest(request: FastifyRequest): boolean {
  const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined;
  return !isForwarded && isLoopback(request.socket.remoteAddress);
}

const OUTBOUND_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Times calls by counterparty and outcome: `answered`, `failed` (status 500 or above), `unsent` (no connection),
 * `unknown` (may have taken effect).
 * @param partyOf name of the counterparty of a URL
 * @returns a function that stops the measurement
 */
export function measureOutbound(registry: Registry, partyOf: (url: string) => string, clock: Clock): () => void {
  const histogram = new Histogram({
    name: 'krapao_counterparty_call_seconds',
    help: 'Calls to counterparties, from the request to the last byte of the reply or the failure',
    labelNames: ['party', 'outcome'],
    buckets: OUTBOUND_BUCKETS_SECONDS,
    registers: [registry],
  });
  const lastCall = new Gauge({
    name: 'krapao_counterparty_last_call_timestamp_seconds',
    help: 'End of the newest call to a counterparty with this outcome',
    labelNames: ['party', 'outcome'],
    aggregator: 'max',
    registers: [registry],
  });
  const unansweredCalls = new Gauge({
    name: 'krapao_counterparty_unanswered_calls',
    help: 'Consecutive calls to a counterparty without an answer',
    labelNames: ['party'],
    // A reply to any process proves that the party is there.
    aggregator: 'min',
    registers: [registry],
  });
  const observeCall = (message: unknown): void => {
    const { url, outcome, seconds } = message as OutboundCall;
    const party = partyOf(url);
    histogram.observe({ party, outcome }, seconds);
    lastCall.set({ party, outcome }, clock.now().getTime() / 1_000);
    if (outcome === 'answered') unansweredCalls.set({ party }, 0);
    else unansweredCalls.inc({ party });
  };
  subscribe(OUTBOUND_CALLS, observeCall);
  return () => void unsubscribe(OUTBOUND_CALLS, observeCall);
}
