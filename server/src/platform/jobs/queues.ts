import { Gauge, type Registry } from 'prom-client';
import type { Queryable, Database } from '../database/database.ts';
import { refreshingCache } from './cache.ts';
import { type WorkTable, selectFailing } from './failed-work.ts';

/**
 * A queue of a module, in which money or a customer waits. `resolver` and `operator` are SQL that selects, for every
 * waiting item, the time since which it waits or is overdue. The SQL reads a partial index of open rows.
 */
export type QueueSource = {
  queue: string;
  /** Items that the resolver settles automatically. */
  resolver?: string;
  /** Items that an operator settles. */
  operator?: string;
  /** Tables of the loops that process the items. */
  work: readonly WorkTable[];
  /** The operator's command, with its runbook. */
  operatedBy: string;
};

/** Who acts on the items. */
const WAITING_PARTIES = ['resolver', 'operator'] as const;

export type Queue = Pick<QueueSource, 'queue' | 'operatedBy'> & {
  waitsFor: (typeof WAITING_PARTIES)[number];
  count: number;
  /** Age of the oldest item, or its overdue time where items fall due at a time. 0: the queue is empty. */
  oldestSeconds: number;
};

/**
 * Depth and oldest item of every queue, separately for resolver and operator, including empty queues. One statement.
 */
export async function selectQueues(on: Queryable, sources: readonly QueueSource[]): Promise<Queue[]> {
  const queueParts = sources.flatMap((source) =>
    WAITING_PARTIES.flatMap((waitsFor) => (source[waitsFor] ? [{ ...source, waitsFor, sql: source[waitsFor] }] : [])),
  );
  const selections = queueParts.map(({ sql }, index) => `select ${index} as part, w.since from (${sql}) as w (since)`);
  const { rows } = await on.query<{ part: number; count: number; oldestSeconds: number }>(
    `select part, count(*)::int as count,
            greatest(coalesce(extract(epoch from now() - min(since)), 0), 0)::float8 as "oldestSeconds"
       from (${selections.join(' union all ')}) as waiting group by part`,
  );
  return queueParts.map(({ queue, operatedBy, waitsFor }, index) => {
    const { count = 0, oldestSeconds = 0 } = rows.find((row) => row.part === index) ?? {};
    return { queue, operatedBy, waitsFor, count, oldestSeconds };
  });
}

/** Both gauges of one scrape read the same rows. */
const CACHE_MS = 1_000;

/**
 * Gauges of depth, oldest item and failing items of every queue, read on each scrape, because the tables cover all
 * nodes.
 */
export function measureQueues(registry: Registry, database: Database, sources: readonly QueueSource[]): void {
  const readQueues = refreshingCache(() => selectQueues(database, sources), CACHE_MS);
  const defineGauge = (name: string, help: string, valueOf: (queue: Queue) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['queue', 'waits_for'],
      // Every API process reads the same values.
      aggregator: 'first',
      registers: [registry],
      async collect() {
        for (const row of await readQueues()) this.set({ queue: row.queue, waits_for: row.waitsFor }, valueOf(row));
      },
    });
  defineGauge('krapao_queue_items', 'Items that wait for the resolver or for an operator', ({ count }) => count);
  defineGauge(
    'krapao_queue_oldest_seconds',
    'Age of the oldest item; how long it is overdue where items have a time at which they fall due; 0: none waits',
    ({ oldestSeconds }) => oldestSeconds,
  );
  new Gauge({
    name: 'krapao_queue_failing_items',
    help: 'Items that were tried ten times in a row without success',
    labelNames: ['queue'],
    aggregator: 'first',
    registers: [registry],
    async collect() {
      const failingItems = await selectFailing(database, sources);
      for (const { queue } of sources) this.set({ queue }, failingItems.filter((item) => item.queue === queue).length);
    },
  });
}
