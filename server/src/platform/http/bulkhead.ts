import { monotonicMs } from '../time.ts';

export type BulkheadOptions = {
  /** Maximum concurrent jobs. */
  width: number;
  /** Maximum wait of a queued job, in ms. */
  waitMs: number;
  /** Number of consecutive silent calls from which the party counts as down. */
  silences: number;
  /** Interval of probes while the party is down, in ms: one job per interval runs. */
  probeEveryMs: number;
};

/** Runs a job; returns undefined when the job did not run, possibly after waiting. */
export type Bulkhead = <T>(job: () => Promise<T>) => Promise<T | undefined>;

/**
 * Keeps one slow or silent party from taking all capacity. Bounds the concurrent jobs, and lets only probes through
 * while the party counts as down. The first reply ends that.
 * @param isSilent whether a result means that the party did not reply; a job that throws counts as silent too
 */
export function createBulkhead(
  { width, waitMs, silences, probeEveryMs }: BulkheadOptions,
  isSilent: (result: unknown) => boolean,
  now: () => number = monotonicMs,
): Bulkhead {
  let runningCount = 0;
  let silenceCount = 0;
  let probedAt = Number.NEGATIVE_INFINITY;
  const waiters = new Set<(isTurn: boolean) => void>();

  const isDown = (): boolean => silenceCount >= silences;
  const startNext = (): void => {
    const [firstWaiter] = waiters;
    if (firstWaiter) firstWaiter(true);
    else runningCount -= 1;
  };
  /** Drops the queued jobs when the party is down. */
  const dismissWaiters = (): void => {
    for (const waiter of waiters) waiter(false);
  };
  const waitForTurn = (): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => settleTurn(false), waitMs);
      const settleTurn = (isTurn: boolean): void => {
        clearTimeout(timer);
        waiters.delete(settleTurn);
        resolve(isTurn);
      };
      waiters.add(settleTurn);
    });
  const mayStart = async (): Promise<boolean> => {
    if (isDown()) {
      if (now() - probedAt < probeEveryMs) return false;
      probedAt = now();
      runningCount += 1;
      return true;
    }
    // A finished job hands its slot to the next waiter, so the count does not change in between.
    if (runningCount >= width) return waitForTurn();
    runningCount += 1;
    return true;
  };

  return async (job) => {
    if (!(await mayStart())) return undefined;
    let wasSilent = true;
    try {
      const result = await job();
      wasSilent = isSilent(result);
      return result;
    } finally {
      silenceCount = wasSilent ? silenceCount + 1 : 0;
      if (wasSilent && silenceCount === silences) {
        probedAt = now();
        dismissWaiters();
      }
      startNext();
    }
  };
}
