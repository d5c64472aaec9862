import type { FailedWork } from './failed-work.ts';
import { type Job, type JobLog, startPeriodicJob } from './job.ts';
import { Unavailable } from '../errors.ts';

const POLL_MS = 1_000;

export type PollingWorkerOptions<Row> = {
  name: string;
  /** Maximum rows in progress per process. */
  concurrency: number;
  /** Claims at most `limit` due rows, each under a lease that keeps other nodes from claiming it. */
  claim: (limit: number) => Promise<Row[]>;
  /** Advances one row. When it throws, the attempt counts as failed, and the row is due again after a back-off. */
  handle: (row: Row) => Promise<unknown>;
  /** Count of failed attempts, by the key of the row. */
  failed: FailedWork;
  keyOf: (row: Row) => string;
  log: JobLog;
  /** Log entry for a failed attempt. */
  failure: (row: Row) => { fields: object; message: string };
  /** Whether handling the row may make other rows due, which are then claimed immediately. */
  mayCreateDue?: (row: Row) => boolean;
  /** Polling interval, in milliseconds. */
  everyMs?: number;
};

/**
 * Processes due rows with bounded concurrency. The rows store the schedule, so that a restart loses nothing and several
 * nodes share the work. Polls every second, when woken, and when a slot becomes free while more rows may be due. `stop`
 * claims nothing more and resolves when the rows in progress are done.
 */
export function startPollingWorker<Row>(options: PollingWorkerOptions<Row>): Job {
  const { name, concurrency, claim, log, everyMs = POLL_MS } = options;
  const inProgress = new Set<Promise<void>>();
  let hasMore = false;
  const job = startPeriodicJob({
    name,
    everyMs,
    log,
    run: async () => {
      const freeSlots = concurrency - inProgress.size;
      const dueRows = freeSlots > 0 ? await claim(freeSlots) : [];
      // All slots are taken, so the remaining rows are claimed when a slot becomes free.
      hasMore = dueRows.length >= freeSlots;
      for (const row of dueRows) {
        const attempt = handleRow(options, row).finally(() => {
          inProgress.delete(attempt);
          if (hasMore || options.mayCreateDue?.(row)) job.wake();
        });
        inProgress.add(attempt);
      }
    },
  });
  return {
    wake: () => job.wake(),
    stop: async () => {
      await job.stop();
      await Promise.all(inProgress);
    },
  };
}

async function handleRow<Row>(options: PollingWorkerOptions<Row>, row: Row): Promise<void> {
  const { handle, failed, keyOf, log, failure } = options;
  const { fields, message } = failure(row);
  const logFailure = (counting: Promise<void>): Promise<void> =>
    counting.catch((error: unknown) => log.warn({ err: error, ...fields }, 'the outcome of a step was not counted'));
  try {
    await handle(row);
  } catch (error) {
    if (error instanceof Unavailable) log.warn({ reason: error.message, ...fields }, 'unavailable');
    else log.error({ err: error, ...fields }, message);
    return logFailure(failed.record(keyOf(row), error));
  }
  return logFailure(failed.forget(keyOf(row)));
}
