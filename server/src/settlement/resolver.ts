import { startDueWork } from '../platform/jobs/due-work.ts';
import type { FailedWork } from '../platform/jobs/failed-work.ts';
import type { Job, JobLog } from '../platform/jobs/job.ts';

/** Rows being worked on now, by line. */
export type Taken = ReadonlyMap<string, number>;

/** What the resolver knows of one way in or out: how its rows are claimed, and how one is taken a step further. */
export type ResolverKind<Row> = {
  /** What it does, for the log. */
  name: string;
  /** Rows of one line at once. A line is a counterparty whose answer is awaited: one that is silent takes no places but its own. */
  atOnce: number;
  /** Lines there are; one unless {@link lineOf} tells them apart. */
  lines?: number;
  lineOf?: (row: Row) => string;
  /**
   * Takes rows that fell due, `limit` at most, under a lease and with a fence raised: the holder before changes nothing more.
   * @param taken how many of each line are being worked on in this process
   */
  claim: (limit: number, taken: Taken) => Promise<Row[]>;
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
  /** Looks at what is due now. */
  wake: () => void;
  /** Starts, once. */
  start: <Row>(kind: ResolverKind<Row>) => void;
  /** Ends after what is under way. */
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

function run<Row>(kind: ResolverKind<Row>): Job {
  const { name, atOnce, lines = 1, lineOf = () => '', claim, advance, isFollowed, log, failure, subject } = kind;
  const taken = new Map<string, number>();
  const take = (line: string, places: number): unknown => taken.set(line, (taken.get(line) ?? 0) + places);
  return startDueWork({
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
