import type { Queryable } from '../platform/database/database.ts';
import type { WorkTable } from '../platform/jobs/failed-work.ts';

/**
 * A queue of a module: where money or a customer waits. Each part is SQL that answers, for every waiting item, since when
 * it waits or is overdue; it reads a partial index of open rows, so that what is over is never read.
 */
export type QueueSource = {
  queue: string;
  /** Items that the resolver settles by itself. */
  resolver?: string;
  /** Items that an operator settles. */
  operator?: string;
  /** Tables of the loops that process its items. */
  work: readonly WorkTable[];
  /** The operator's command, with its runbook. */
  operatedBy: string;
};

/** Who has to act. */
const PARTS = ['resolver', 'operator'] as const;

export type Queue = Pick<QueueSource, 'queue' | 'operatedBy'> & {
  waitsFor: (typeof PARTS)[number];
  count: number;
  /** Age of the oldest item; how long it is overdue where items have a time at which they fall due. 0: none waits. */
  oldestSeconds: number;
};

/** Every part of every queue with its depth and oldest item, those that are empty included. One statement. */
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
