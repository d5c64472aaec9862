import { startPollingWorker } from './polling-worker.ts';
import type { FailedWork } from './failed-work.ts';
import type { Job, JobLog } from './job.ts';

/** Number of rows in progress, by partition. */
export type InProgress = ReadonlyMap<string, number>;

/** How the resolver claims the rows of one channel and advances one of them. */
export type ResolverOptions<Row> = {
  /** Name of the resolver in the log. */
  name: string;
  /** Concurrent rows per partition. A partition is a counterparty: a silent one occupies only its own slots. */
  concurrency: number;
  /** Number of partitions; more than one needs `partitionKey`. */
  partitions?: number;
  partitionKey?: (row: Row) => string;
  /**
   * Claims at most `limit` due rows under a lease. A new fence excludes the previous lease holder.
   * @param inProgress number of rows in progress in this process, by partition
   */
  claim: (limit: number, inProgress: InProgress) => Promise<Row[]>;
  /** Inquires and applies the verdict. When it throws, the row is due again with back-off. */
  handle: (row: Row) => Promise<unknown>;
  /** Count of failed attempts, by the key of the row. */
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
  /** Starts the loop; further calls do nothing. */
  start: <Row>(options: ResolverOptions<Row>) => void;
  /** Resolves when the rows in progress are done. */
  stop: () => Promise<void>;
};

/**
 * Polling loop over rows with an open outcome at a third party: after a missing reply, a killed process, or an
 * operator's decision. Advances each row to its end.
 */
export function createResolver(): Resolver {
  let job: Job | undefined;
  return {
    wake: () => job?.wake(),
    start: (options) => {
      job ??= startWorker(options);
    },
    stop: async () => {
      await job?.stop();
      job = undefined;
    },
  };
}

function startWorker<Row>(options: ResolverOptions<Row>): Job {
  const { name, concurrency, partitions = 1, partitionKey = () => '', log } = options;
  const slotsInUse = new Map<string, number>();
  const changeSlots = (key: string, slots: number): unknown => slotsInUse.set(key, (slotsInUse.get(key) ?? 0) + slots);
  return startPollingWorker({
    name,
    concurrency: concurrency * partitions,
    claim: (limit: number) => options.claim(limit, slotsInUse),
    handle: async (row: Row) => {
      const key = partitionKey(row);
      changeSlots(key, 1);
      try {
        await options.handle(row);
      } finally {
        changeSlots(key, -1);
      }
    },
    // With several partitions this one may have a free slot, although not all slots were taken.
    mayCreateDue: (row) => partitions > 1 || options.mayCreateDue?.(row) === true,
    failed: options.failed,
    keyOf: options.keyOf,
    log,
    failure: (row) => ({ fields: options.logFields(row), message: options.failureMessage }),
  });
}

const SECOND_MS = 1_000;
const DOUBLINGS_MAX = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

// A missing reply is never treated as a refusal: the resolver inquires until there is proof.

/** Age at which a resolver stops inquiring, and an operator decides. */
export const INQUIRY_MAX_MS = 24 * 60 * 60 * SECOND_MS;
/** Interval of probes at a silent third party; each probe inquires about one of its rows. */
export const SILENT_PROBE_MS = 15 * SECOND_MS;
/**
 * Time after the commit of its row within which a call must start, including a login before it; otherwise it is not
 * sent.
 */
export const SEND_WITHIN_MS = 2 * SECOND_MS;
/** Number of "not found" replies that prove that a call had no effect. */
const ABSENCES_REQUIRED = 2;

/** Back-off after the n-th inquiry (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first inquiry is immediate. */
export const backoffMs = (inquiries: number): number =>
  inquiries <= DOUBLINGS_MAX ? 2 ** Math.max(inquiries, 1) * SECOND_MS : LONG_PAUSE_MS;

/**
 * Time after which an abandoned call can no longer take effect: twice the timeout, counted from its latest possible
 * start.
 */
export const mayStillApplyMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;

/** A call with an open outcome. `sentAgoMs` null: not sent yet. */
type OpenCall = { sentAgoMs: number | null; absences: number };

/** Whether a call without a reply can no longer take effect. */
export const canNoLongerApply = ({ sentAgoMs }: Pick<OpenCall, 'sentAgoMs'>, timeoutMs: number): boolean =>
  (sentAgoMs ?? 0) > mayStillApplyMs(timeoutMs);

/** Whether one more "not found" reply proves that the call had no effect. */
export const provesNotApplied = (call: OpenCall, timeoutMs: number): boolean =>
  canNoLongerApply(call, timeoutMs) && call.absences + 1 >= ABSENCES_REQUIRED;

/** Whether an outcome has been open so long that an operator decides. */
export const isInquiryExpired = (ageMs: number | null): boolean => (ageMs ?? 0) > INQUIRY_MAX_MS;
