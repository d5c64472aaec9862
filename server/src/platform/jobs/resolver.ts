import { startPollingWorker } from './polling-worker.ts';
import type { FailedWork } from './failed-work.ts';
import type { Job, JobLog } from './job.ts';

/** Number of rows in progress, by partition. */
export type InProgress = ReadonlyMap<string, number>;

/** How the resolver claims the rows of one channel and advances one of them. */
export type ResolverOptions<Row> = {
  /** What it does, for the log. */
  name: string;
  /** Concurrent rows per partition. A partition is a counterparty: a silent one occupies only its own slots. */
  concurrency: number;
  /** Number of partitions; one unless {@link lineOf} distinguishes them. */
  partitions?: number;
  partitionKey?: (row: Row) => string;
  /**
   * Claims at most `limit` due rows under a lease. A new fence excludes the previous lease holder.
   * @param taken rows in progress in this process, by partition
   */
  claim: (limit: number, taken: InProgress) => Promise<Row[]>;
  /** Inquires and applies the verdict. When it throws, the row is due again with back-off. */
  handle: (row: Row) => Promise<unknown>;
  /** Where failed attempts are counted, and by which key of the row. */
  failed: FailedWork;
  keyOf: (row: Row) => string;
  /** Whether handling the row may make other rows due, which are then claimed immediately. */
  mayCreateDue?: (row: Row) => boolean;
  log: JobLog;
  /** Log message and fields of a failed attempt. */
  failureMessage: string;
  logFields: (row: Row) => object;
};

export type Resolver = {
  /** Checks for due rows immediately. */
  wake: () => void;
  /** Starts, once. */
  start: <Row>(options: ResolverOptions<Row>) => void;
  /** Resolves when the rows in progress are done. */
  stop: () => Promise<void>;
};

/**
 * Polling loop over rows with an open outcome at a third party: left by a missing reply, a killed process, or an
 * operator's decision. Each row is advanced to its end.
 */
export function createResolver(): Resolver {
  let job: Job | undefined;
  return {
    wake: () => job?.wake(),
    start: (options) => {
      job ??= run(options);
    },
    stop: async () => {
      await job?.stop();
      job = undefined;
    },
  };
}

function run<Row>(options: ResolverOptions<Row>): Job {
  const { name, concurrency, partitions = 1, partitionKey = () => '', log } = options;
  const taken = new Map<string, number>();
  const take = (key: string, slots: number): unknown => taken.set(key, (taken.get(key) ?? 0) + slots);
  return startPollingWorker({
    name,
    concurrency: concurrency * partitions,
    claim: (limit: number) => options.claim(limit, taken),
    handle: async (row: Row) => {
      const key = partitionKey(row);
      take(key, 1);
      try {
        await options.handle(row);
      } finally {
        take(key, -1);
      }
    },
    // With several partitions a slot is free in this one, although not all slots were taken.
    mayCreateDue: (row) => partitions > 1 || options.mayCreateDue?.(row) === true,
    failed: options.failed,
    keyOf: options.keyOf,
    log,
    failure: (row) => ({ fields: options.logFields(row), message: options.failureMessage }),
  });
}

const SECOND_MS = 1_000;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

// A missing reply is never treated as a refusal: the resolver inquires until there is proof.

/** A resolver stops inquiring after this long, and an operator decides. */
export const INQUIRY_MAX_MS = 24 * 60 * 60 * SECOND_MS;
/** Interval of probes at a silent third party: one of its rows is inquired about. */
export const SILENT_PROBE_MS = 15 * SECOND_MS;
/**
 * A call, including a login before it, starts within this time after its row was committed, or not at all.
 */
export const SEND_WITHIN_MS = 2 * SECOND_MS;
/** Number of "not found" replies that prove that a call had no effect. */
const ABSENCES_NEEDED = 2;

/** Back-off after the n-th inquiry (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first inquiry is immediate. */
export const backoffMs = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/**
 * After this long an abandoned call can no longer take effect: twice the timeout, counted from its latest possible
 * start.
 */
export const mayStillApplyMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;

/** A call with an open outcome; `sentAgoMs` null: not sent yet. */
type OpenCall = { sentAgoMs: number | null; absences: number };

/** Whether a call without a reply can no longer be executed. */
export const canNoLongerApply = ({ sentAgoMs }: Pick<OpenCall, 'sentAgoMs'>, timeoutMs: number): boolean =>
  (sentAgoMs ?? 0) > mayStillApplyMs(timeoutMs);

/** Whether one more "not found" reply proves that the call had no effect. */
export const provesNotApplied = (call: OpenCall, timeoutMs: number): boolean =>
  canNoLongerApply(call, timeoutMs) && call.absences + 1 >= ABSENCES_NEEDED;

/** Whether an outcome is open for so long that an operator decides. */
export const isInquiryExpired = (agoMs: number | null): boolean => (agoMs ?? 0) > INQUIRY_MAX_MS;
