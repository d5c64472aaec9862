import { Unavailable } from '../errors.ts';
import type { FailedWork } from './failed-work.ts';
import { type Job, type JobLog, startPeriodicJob } from './job.ts';
import { CLAIM_MAX } from './partitions.ts';

const POLL_MS = 1_000;

/** Number of rows in progress in this process, by name of the counterparty or other key. */
export type InProgress = ReadonlyMap<string, number>;

export type PollingWorkerOptions<Row> = {
  name: string;
  /** Maximum rows in progress per process; with partitions, for each counterparty. */
  concurrency: number;
  /** Counterparties that a row waits for. A silent one delays only its rows. */
  partitionsOf?: (row: Row) => readonly string[];
  /** Limit of concurrent rows of the row's member, and the key that counts them in progress. */
  memberLimitOf?: (row: Row) => { key: string; concurrency: number };
  /**
   * Claims due rows, each under a lease that keeps other nodes from claiming it.
   * @param limit maximum number of rows, of all or of each partition
   */
  claim: (limit: number, inProgress: InProgress) => Promise<Row[]>;
  /** Advances one row. When it throws, the attempt counts as failed, and the row is due again after a back-off. */
  handle: (row: Row) => Promise<unknown>;
  /** Count of failed attempts, by the key of the row. */
  failed: FailedWork;
  keyOf: (row: Row) => string;
  log: JobLog;
  /** Log message and fields of a failed attempt. */
  failureMessage: string;
  logFields: (row: Row) => object;
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
  const { name, concurrency, claim, log, partitionsOf, memberLimitOf, everyMs = POLL_MS } = options;
  const attempts = new Set<Promise<void>>();
  const inProgress = new Map<string, number>();
  let hasMore = false;
  const isFull = (key: string, slots: number): boolean => (inProgress.get(key) ?? 0) >= slots;
  const isMemberFull = (row: Row): boolean => {
    const limit = memberLimitOf?.(row);
    return limit !== undefined && isFull(limit.key, limit.concurrency);
  };
  const isPartitionFull = (row: Row): boolean => partitionsOf?.(row).some((key) => isFull(key, concurrency)) ?? false;
  const changeSlots = (row: Row, change: 1 | -1): void => {
    const limit = memberLimitOf?.(row);
    for (const key of [...(partitionsOf?.(row) ?? []), ...(limit ? [limit.key] : [])]) {
      const count = (inProgress.get(key) ?? 0) + change;
      if (count > 0) inProgress.set(key, count);
      else inProgress.delete(key);
    }
  };
  const job = startPeriodicJob({
    name,
    everyMs,
    log,
    run: async () => {
      const freeSlots = partitionsOf ? concurrency : concurrency - attempts.size;
      const dueRows = freeSlots > 0 ? await claim(freeSlots, inProgress) : [];
      // All slots are taken, so the remaining rows are claimed when a slot becomes free.
      hasMore = !partitionsOf && dueRows.length >= freeSlots;
      if (partitionsOf && dueRows.length >= CLAIM_MAX) job.wake();
      for (const row of dueRows) {
        changeSlots(row, 1);
        const attempt = handleRow(options, row).finally(() => {
          attempts.delete(attempt);
          const wasFull = isPartitionFull(row) || isMemberFull(row);
          changeSlots(row, -1);
          if (hasMore || wasFull || options.mayCreateDue?.(row)) job.wake();
        });
        attempts.add(attempt);
      }
      // The next claim skips this member, and may find rows of others.
      if (dueRows.some(isMemberFull)) job.wake();
    },
  });
  return {
    wake: () => job.wake(),
    stop: async () => {
      await job.stop();
      await Promise.all(attempts);
    },
  };
}

async function handleRow<Row>(options: PollingWorkerOptions<Row>, row: Row): Promise<void> {
  const { handle, failed, keyOf, log, failureMessage } = options;
  const fields = options.logFields(row);
  const logFailure = (counting: Promise<void>): Promise<void> =>
    counting.catch((error: unknown) => log.warn({ err: error, ...fields }, 'number of failed attempts not stored'));
  try {
    await handle(row);
  } catch (error) {
    if (error instanceof Unavailable)
      log.warn({ reason: error.message, ...fields }, 'attempt postponed, dependency unavailable');
    else log.error({ err: error, ...fields }, failureMessage);
    return logFailure(failed.record(keyOf(row), error));
  }
  return logFailure(failed.forget(keyOf(row)));
}
