import type { FastifyInstance } from 'fastify';
import { DatabaseUnavailable } from '../database/errors.ts';
import type { WriteProbe } from '../database/write-probe.ts';

/**
 * `/health/live`: the process replies. `/health/ready`: the node is not draining, and the database takes writes. A
 * draining node replies 404, which HAProxy's `disable-on-404` distinguishes from a failure: no new callers, while calls
 * in flight complete.
 */
export function serveHealth(app: FastifyInstance, probe: WriteProbe): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    if (app.draining) return reply.code(404).send({ status: 'stopping' });
    try {
      await probe.check();
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ reason: String(error) }, 'readiness check failed');
      const isLost = error instanceof DatabaseUnavailable && error.isLost;
      return reply.code(503).send({ status: isLost ? 'no database' : 'database refuses writes' });
    }
  });
}

type MetricSample = { labels: Readonly<Record<string, string>>; value: number };

const HOUR_SECONDS = 3_600;
const MEGABYTE = 1024 ** 2;

/**
 * The status page of a node for operators, as text: the same figures as /metrics.
 * @param metrics the text of /metrics
 */
export function statusPage(metrics: string, { version, now }: { version: string; now: Date }): string {
  const samples = (name: string): MetricSample[] => parseSamples(metrics, name);
  const singleValue = (name: string): number | undefined => samples(name)[0]?.value;
  const startedSeconds = singleValue('process_start_time_seconds') ?? now.getTime() / 1000;
  const uptimeHours = (now.getTime() / 1000 - startedSeconds) / HOUR_SECONDS;
  const isReady = singleValue('krapao_ready') === 1;
  return [
    `Krapao ${version}, up ${round(uptimeHours)} h, ${now.toISOString()}`,
    isReady ? 'ready: takes calls and writes' : 'NOT READY: it drains, or the database takes no writes',
    `sockets ${singleValue('krapao_sockets_open') ?? 0}, memory ${Math.round((singleValue('process_resident_memory_bytes') ?? 0) / MEGABYTE)} MB`,
    '',
    'Waiting (items, oldest in seconds)',
    ...queueLines(samples('krapao_queue_items'), samples('krapao_queue_oldest_seconds')),
    '',
    'Calls to counterparties since the start',
    ...partyLines(samples('krapao_counterparty_call_seconds_count')),
    '',
    'Ledger',
    `  batches ${singleValue('krapao_ledger_batch_seconds_count') ?? 0}, operations ${singleValue('krapao_ledger_batch_operations_sum') ?? 0}`,
    ...samples('krapao_ledger_refusals_total').map(
      ({ labels, value }) => `  refused ${labels['reason'] ?? ''} ${value}`,
    ),
    '',
  ].join('\n');
}

function queueLines(items: readonly MetricSample[], ages: readonly MetricSample[]): string[] {
  if (items.length === 0) return ['  not known: the database is away'];
  const nonEmpty = items.filter(({ value }) => value > 0);
  if (nonEmpty.length === 0) return ['  nothing'];
  return nonEmpty.map(({ labels, value }) => {
    const age = ages.find((candidate) => haveSameLabels(candidate.labels, labels))?.value ?? 0;
    return `  ${labels['queue'] ?? ''} for the ${labels['waits_for'] ?? ''}: ${value}, ${Math.round(age)}`;
  });
}

function partyLines(calls: readonly MetricSample[]): string[] {
  const parties = [...new Set(calls.map(({ labels }) => labels['party'] ?? ''))].toSorted();
  if (parties.length === 0) return ['  none'];
  return parties.map((party) => {
    const partyCalls = calls.filter(({ labels }) => labels['party'] === party);
    return `  ${party}: ${partyCalls.map(({ labels, value }) => `${labels['outcome'] ?? ''} ${value}`).join(', ')}`;
  });
}

const haveSameLabels = (a: MetricSample['labels'], b: MetricSample['labels']): boolean =>
  Object.entries(a).every(([name, value]) => b[name] === value);
const round = (value: number): number => Math.round(value * 10) / 10;

/** Samples of one metric in the text of /metrics. */
export function parseSamples(metrics: string, name: string): MetricSample[] {
  return [...metrics.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels = '', value]) => ({
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  }));
}
