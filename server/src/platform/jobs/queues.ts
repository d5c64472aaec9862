import type { Queryable, Database } from '../database/database.ts';
import { type WorkTable, selectFailing } from './failed-work.ts';
import { Gauge, type Registry } from 'prom-client';
import { refreshingCache } from './cache.ts';

/**
 * A queue of a module: where money or a customer waits. Each part is SQL that answers, for every waiting item, since
 * when it waits or is overdue; it reads a partial index of open rows, so that what is over is never read.
 */
export type QueueSource = {
  queue: string;
  /** Items that the resolver settles automatically. */
  resolver?: string;
  /** Items that an operator settles. */
  operator?: string;
  /** Tables of the loops that process its items. */
  work: readonly WorkTable[];
  /** The operator's command, with its runbook. */
  operatedBy: string;
};

/** Who acts on the items. */
const PARTS = ['resolver', 'operator'] as const;

export type Queue = Pick<QueueSource, 'queue' | 'operatedBy'> & {
  waitsFor: (typeof PARTS)[number];
  count: number;
  /** Age of the oldest item; how long it is overdue where items have a time at which they fall due. 0: none waits. */
  oldestSeconds: number;
};

/** Depth and oldest item of every queue, apart for resolver and operator, including empty ones. One statement. */
export async function selectQueues(on: Queryable, sources: readonly QueueSource[]): Promise<Queue[]> {
  const parts = sources.flatMap((source) =>
    PARTS.flatMap((waitsFor) => (source[waitsFor] ? [{ ...source, waitsFor, sql: source[waitsFor] }] : [])),
  );
  const waiting = parts.map(({ sql }, part) => `select ${part} as part, w.since from (${sql}) as w (since)`);
  const { rows } = await on.query<{ part: number; count: number; oldestSeconds: number }>(
    `select part, count(*)::int as count,
            greatest(coalesce(extract(epoch from now() - min(since)), 0), 0)::float8 as "oldestSeconds"
       from (${waiting.join(' union all ')}) as waiting group by part`,
  );
  return parts.map(({ queue, operatedBy, waitsFor }, part) => {
    const { count = 0, oldestSeconds = 0 } = rows.find((row) => row.part === part) ?? {};
    return { queue, operatedBy, waitsFor, count, oldestSeconds };
  });
}

/** Both gauges of one scrape read the same rows. */
const FRESH_MS = 1_000;

/**
 * Depth, oldest item and failing items of every queue, read when they are asked: the tables hold the truth for all
 * nodes.
 */
export function measureQueues(registry: Registry, database: Database, sources: readonly QueueSource[]): void {
  const read = refreshingCache(() => selectQueues(database, sources), FRESH_MS);
  const gauge = (name: string, help: string, valueOf: (queue: Queue) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['queue', 'waits_for'],
      // Every API process reads the same.
      aggregator: 'first',
      registers: [registry],
      async collect() {
        for (const row of await read()) this.set({ queue: row.queue, waits_for: row.waitsFor }, valueOf(row));
      },
    });
  gauge('krapao_queue_items', 'Items that wait for the resolver or for an operator', ({ count }) => count);
  gauge(
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
      const failing = await selectFailing(database, sources);
      for (const { queue } of sources) this.set({ queue }, failing.filter((item) => item.queue === queue).length);
    },
  });
}
