import type { Job } from './job.ts';
import { type PollingWorkerOptions, startPollingWorker } from './polling-worker.ts';

/** How the resolver claims the rows of one channel and advances one of them: inquires and applies the verdict. */
export type ResolverOptions<Row> = Omit<PollingWorkerOptions<Row>, 'everyMs'>;

export type Resolver = {
  /** Checks for due rows immediately. */
  wake: () => void;
  /** Starts the loop; further calls do nothing. */
  start: <Row>(options: ResolverOptions<Row>) => void;
  /** Resolves when the rows in progress are done. */
  stop: () => Promise<void>;
};

/**
 * Polling loop over rows with an open outcome at a counterparty: after a missing reply, a killed process, or an
 * operator's decision. Advances each row to its end.
 */
export function createResolver(): Resolver {
  let job: Job | undefined;
  return {
    wake: () => job?.wake(),
    start: (options) => {
      job ??= startPollingWorker(options);
    },
    stop: async () => {
      await job?.stop();
      job = undefined;
    },
  };
}

const SECOND_MS = 1_000;
const DOUBLINGS_MAX = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

// A missing reply is never treated as a refusal: the resolver inquires until there is proof.

/** Age at which a resolver stops inquiring, and an operator decides. */
export const INQUIRY_MAX_MS = 24 * 60 * 60 * SECOND_MS;
/** Interval of probes at a silent counterparty; each probe inquires about one of its rows. */
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
