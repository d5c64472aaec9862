import type { FailedWork } from './failed-work.ts';
import { type Job, type JobLog, startPeriodicJob } from './job.ts';
import { Unavailable } from '../errors.ts';

const TURN_MS = 1_000;

export type PollingWorkerOptions<Row> = {
  name: string;
  /** Maximum rows in progress per process. */
  atOnce: number;
  /** Claims at most `limit` due rows, each under a lease that keeps other nodes from claiming it. */
  claim: (limit: number) => Promise<Row[]>;
  /** Advances one row by a step. When it throws, the attempt counts as failed, and the row is due again after a pause. */
  handle: (row: Row) => Promise<unknown>;
  /** Where failed attempts are counted, and by which key of the row. */
  failed: FailedWork;
  keyOf: (row: Row) => string;
  log: JobLog;
  /** Log message for a row whose step failed. */
  failure: (row: Row) => { fields: object; message: string };
  /** Whether the step made more rows due, which are then claimed without waiting for the next interval. */
  isFollowed?: (row: Row) => boolean;
  /** Polling interval, in milliseconds. */
  everyMs?: number;
};

/**
 * Processes due rows with bounded concurrency. The schedule is stored in the rows, so that a restart loses nothing and
 * several nodes share the work. Polls every second, when woken, and when a slot becomes free while more rows may be
 * due. `stop` claims nothing more and resolves when the rows in progress are done.
 */
export function startPollingWorker<Row>(options: PollingWorkerOptions<Row>): Job {
  const { name, atOnce, claim, log, everyMs = TURN_MS } = options;
  const underWay = new Set<Promise<void>>();
  let mayBeMore = false;
  const job = startPeriodicJob({
    name,
    everyMs,
    log,
    run: async () => {
      const room = atOnce - underWay.size;
      const due = room > 0 ? await claim(room) : [];
      // All slots are taken: the remaining rows are claimed when one becomes free.
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

async function take<Row>(options: PollingWorkerOptions<Row>, row: Row): Promise<void> {
  const { handle, failed, keyOf, log, failure } = options;
  const { fields, message } = failure(row);
  const noteOutcome = (outcome: Promise<void>): Promise<void> =>
    outcome.catch((error: unknown) => log.warn({ err: error, ...fields }, 'the outcome of a step was not counted'));
  try {
    await handle(row);
  } catch (error) {
    if (error instanceof Unavailable) log.warn({ reason: error.message, ...fields }, 'unavailable');
    else log.error({ err: error, ...fields }, message);
    return noteOutcome(failed.record(keyOf(row), error));
  }
  return noteOutcome(failed.forget(keyOf(row)));
}
