import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../platform/database/database.ts';
import { refreshingCache } from '../platform/jobs/refreshing-cache.ts';
import { selectFailing } from '../platform/jobs/failed-work.ts';
import { type Queue, type QueueSource, selectQueues } from './queues.ts';

/** Both gauges of one scrape read the same rows. */
const FRESH_MS = 1_000;

/** Depth, oldest item and failing items of every queue, read when they are asked: the tables hold the truth for all nodes. */
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
