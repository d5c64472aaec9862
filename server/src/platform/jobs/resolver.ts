import { startPollingWorker } from './polling-worker.ts';
import type { FailedWork } from './failed-work.ts';
import type { Job, JobLog } from './job.ts';

/** Rows being worked on now, by line. */
export type InProgress = ReadonlyMap<string, number>;

/** How the resolver claims the rows of one channel and advances one of them. */
export type ResolverOptions<Row> = {
  /** What it does, for the log. */
  name: string;
  /** Concurrent rows per partition. A partition is a counterparty: a silent one occupies only its own slots. */
  atOnce: number;
  /** Number of partitions; one unless {@link lineOf} distinguishes them. */
  lines?: number;
  lineOf?: (row: Row) => string;
  /**
   * Takes rows that fell due, `limit` at most, under a lease and with a fence raised: the holder before changes nothing more.
   * @param taken how many of each line are being worked on in this process
   */
  claim: (limit: number, taken: InProgress) => Promise<Row[]>;
  /** Asks, judges the answer, and records what follows. A row whose step throws is due again after a pause that grows. */
  advance: (row: Row) => Promise<unknown>;
  /** Where failed attempts are counted, and by which key of the row. */
  failed: FailedWork;
  keyOf: (row: Row) => string;
  /** Whether another row falls due by the step, so that it need not wait for the next look. */
  isFollowed?: (row: Row) => boolean;
  log: JobLog;
  /** What the log says of a row whose step failed, and what it is known by. */
  failure: string;
  subject: (row: Row) => object;
};

export type Resolver = {
  /** Checks for due rows immediately. */
  wake: () => void;
  /** Starts, once. */
  start: <Row>(kind: ResolverOptions<Row>) => void;
  /** Resolves when the rows in progress are done. */
  stop: () => Promise<void>;
};

/**
 * The polling loop over money outside whose outcome is open: it takes every row that its request has left behind to its end,
 * because the counterparty was silent, because a process died, or because an operator has decided.
 */
export function createResolver(): Resolver {
  let job: Job | undefined;
  return {
    wake: () => job?.wake(),
    start: (kind) => {
      job ??= run(kind);
    },
    stop: async () => {
      await job?.stop();
      job = undefined;
    },
  };
}

function run<Row>(kind: ResolverOptions<Row>): Job {
  const { name, atOnce, lines = 1, lineOf = () => '', claim, advance, isFollowed, log, failure, subject } = kind;
  const taken = new Map<string, number>();
  const take = (line: string, places: number): unknown => taken.set(line, (taken.get(line) ?? 0) + places);
  return startPollingWorker({
    name,
    atOnce: atOnce * lines,
    claim: (limit: number) => claim(limit, taken),
    handle: async (row: Row) => {
      const line = lineOf(row);
      take(line, 1);
      try {
        await advance(row);
      } finally {
        take(line, -1);
      }
    },
    // With several lines a place is free in this one, though not all places were taken.
    isFollowed: (row) => lines > 1 || isFollowed?.(row) === true,
    failed: kind.failed,
    keyOf: kind.keyOf,
    log,
    failure: (row) => ({ fields: subject(row), message: failure }),
  });
}

const SECOND_MS = 1_000;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

// A missing reply is never treated as a refusal: the resolver inquires until there is proof.

/** A resolver stops asking for the outcome of money outside after this long, and an operator decides. */
export const INQUIRY_MAX_MS = 24 * 60 * 60 * SECOND_MS;
/** While a party outside is silent, one row of all that wait for it is asked about this often, as a probe. */
export const SILENT_PROBE_MS = 15 * SECOND_MS;
/**
 * A call begins within this time after its row announces it, or not at all; a login that has to come first is included.
 */
export const SEND_WITHIN_MS = 2 * SECOND_MS;
/** "There is no such thing" has to be answered this many times before it counts as proof. */
const ABSENCES_NEEDED = 2;

/** Back-off after the n-th question (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first question is immediate. */
export const backoffMs = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/**
 * After this long an abandoned call can no longer take effect: twice the timeout, counted from its latest possible
 * start.
 */
export const mayStillApplyMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;

/** An attempt whose outcome is open; null: its call did not go out yet. */
type Asked = { sentAgoMs: number | null; absences: number };

/** Whether the call that got no answer can't be carried out any more. */
export const canNoLongerApply = ({ sentAgoMs }: Pick<Asked, 'sentAgoMs'>, timeoutMs: number): boolean =>
  (sentAgoMs ?? 0) > mayStillApplyMs(timeoutMs);

/** Whether one more "there is no such thing" proves that the call did nothing. */
export const provesNotApplied = (asked: Asked, timeoutMs: number): boolean =>
  canNoLongerApply(asked, timeoutMs) && asked.absences + 1 >= ABSENCES_NEEDED;

/** Whether an attempt that was begun so long ago is an operator's. */
export const isInquiryExpired = (agoMs: number | null): boolean => (agoMs ?? 0) > INQUIRY_MAX_MS;
