import { type Job, type JobLog, startJob } from './job.ts';
import { Unavailable } from '../unavailable.ts';

const TURN_MS = 1_000;

export type DueWorkOptions<Row> = {
  name: string;
  /** How many rows one process works on at the same time, at most. */
  atOnce: number;
  /** Takes rows whose time has come, `limit` at most, each under a lease that keeps the others away from it. */
  claim: (limit: number) => Promise<Row[]>;
  /** Takes one row a step further. Whatever it throws leaves the row as it was claimed: due again when the lease is over. */
  handle: (row: Row) => Promise<unknown>;
  log: JobLog;
  /** What the log says of a row whose step failed. */
  failure: (row: Row) => { fields: object; message: string };
  /** Whether more falls due by the step that was taken, so that nobody waits for the next turn. */
  isFollowed?: (row: Row) => boolean;
  /** Pause between two looks at what is due, in milliseconds. */
  everyMs?: number;
};

/**
 * Works on rows that fall due, a bounded number at once. Rows say what is due, so that a restart loses nothing and several
 * nodes share the work. It looks every second, when woken, and when a place is free while more may be waiting for one.
 * `stop` claims nothing more and ends after what is under way.
 */
export function startDueWork<Row>(options: DueWorkOptions<Row>): Job {
  const { name, atOnce, claim, log, everyMs = TURN_MS } = options;
  const underWay = new Set<Promise<void>>();
  let mayBeMore = false;
  const job = startJob({
    name,
    everyMs,
    log,
    run: async () => {
      const room = atOnce - underWay.size;
      const due = room > 0 ? await claim(room) : [];
      // All places taken: what is left over hears of the next that is free.
      mayBeMore = due.length >= room;
      for (const row of due) {
        const step = take(options, row).finally(() => {
          underWay.delete(step);
          if (mayBeMore || options.isFollowed?.(row)) job.wake();
        });
        underWay.add(step);
      }
    },
  });
  return {
    wake: () => job.wake(),
    stop: async () => {
      await job.stop();
      await Promise.all(underWay);
    },
  };
}

async function take<Row>({ handle, log, failure }: DueWorkOptions<Row>, row: Row): Promise<void> {
  try {
    await handle(row);
  } catch (error) {
    const { fields, message } = failure(row);
    if (error instanceof Unavailable) log.warn({ reason: error.message, ...fields }, 'unavailable');
    else log.error({ err: error, ...fields }, message);
  }
}
