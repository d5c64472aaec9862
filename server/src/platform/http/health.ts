import type { FastifyInstance } from 'fastify';
import { DatabaseUnavailable } from '../database/errors.ts';
import type { WriteProbe } from '../database/write-probe.ts';

/**
 * `/health/live`: the process replies. `/health/ready`: it is not draining, and the database takes writes. A draining
 * node replies 404, which HAProxy's `disable-on-404` distinguishes from a failure: no new callers, while calls in
 * flight complete.
 */
export function serveHealth(app: FastifyInstance, probe: WriteProbe): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    if (app.draining) return reply.code(404).send({ status: 'stopping' });
    try {
      await probe.check();
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ reason: String(error) }, 'not ready');
      const isLost = error instanceof DatabaseUnavailable && error.isLost;
      return reply.code(503).send({ status: isLost ? 'no database' : 'database refuses writes' });
    }
  });
}

type Sample = { labels: Readonly<Record<string, string>>; value: number };

const HOUR_SECONDS = 3_600;
const MEGABYTE = 1024 ** 2;

/**
 * What a node says of itself to an operator, as text: the same figures as /metrics, in words.
 * @param metrics the text of /metrics
 */
export function statusPage(metrics: string, { version, now }: { version: string; now: Date }): string {
  const samples = (name: string): Sample[] => samplesOf(metrics, name);
  const one = (name: string): number | undefined => samples(name)[0]?.value;
  const startedSeconds = one('process_start_time_seconds') ?? now.getTime() / 1000;
  const upHours = (now.getTime() / 1000 - startedSeconds) / HOUR_SECONDS;
  const ready = one('krapao_ready') === 1;
  return [
    `Krapao ${version}, up ${round(upHours)} h, ${now.toISOString()}`,
    ready ? 'ready: takes calls and writes' : 'NOT READY: it drains, or the database takes no writes',
    `sockets ${one('krapao_sockets_open') ?? 0}, memory ${Math.round((one('process_resident_memory_bytes') ?? 0) / MEGABYTE)} MB`,
    '',
    'Waiting (items, oldest in seconds)',
    ...queueLines(samples('krapao_queue_items'), samples('krapao_queue_oldest_seconds')),
    '',
    'Calls to counterparties since the start',
    ...partyLines(samples('krapao_counterparty_call_seconds_count')),
    '',
    'Ledger',
    `  batches ${one('krapao_ledger_batch_seconds_count') ?? 0}, operations ${one('krapao_ledger_batch_operations_sum') ?? 0}`,
    ...samples('krapao_ledger_refusals_total').map(
      ({ labels, value }) => `  refused ${labels['reason'] ?? ''} ${value}`,
    ),
    '',
  ].join('\n');
}

function queueLines(items: readonly Sample[], oldest: readonly Sample[]): string[] {
  if (items.length === 0) return ['  not known: the database is away'];
  const waiting = items.filter(({ value }) => value > 0);
  if (waiting.length === 0) return ['  nothing'];
  return waiting.map(({ labels, value }) => {
    const age = oldest.find((other) => isSame(other.labels, labels))?.value ?? 0;
    return `  ${labels['queue'] ?? ''} for the ${labels['waits_for'] ?? ''}: ${value}, ${Math.round(age)}`;
  });
}

function partyLines(calls: readonly Sample[]): string[] {
  const parties = [...new Set(calls.map(({ labels }) => labels['party'] ?? ''))].toSorted();
  if (parties.length === 0) return ['  none'];
  return parties.map((party) => {
    const own = calls.filter(({ labels }) => labels['party'] === party);
    return `  ${party}: ${own.map(({ labels, value }) => `${labels['outcome'] ?? ''} ${value}`).join(', ')}`;
  });
}

const isSame = (a: Sample['labels'], b: Sample['labels']): boolean =>
  Object.entries(a).every(([name, value]) => b[name] === value);
const round = (value: number): number => Math.round(value * 10) / 10;

function samplesOf(metrics: string, name: string): Sample[] {
  return [...metrics.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels = '', value]) => ({
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  }));
}
