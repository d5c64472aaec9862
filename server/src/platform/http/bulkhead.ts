import { monotonicMs } from '../time.ts';

export type BulkheadOptions = {
  /** Maximum concurrent jobs. */
  width: number;
  /** How long a job is queued before it is dropped. */
  waitMs: number;
  /** After this many silent calls in a row the party counts as down. */
  silences: number;
  /** While it is down, one job per this interval is let through as a probe. */
  probeEveryMs: number;
};

/** Runs a job; returns undefined when it was not run, possibly after waiting. */
export type Bulkhead = <T>(job: () => Promise<T>) => Promise<T | undefined>;

/**
 * Keeps one slow or silent party from taking all capacity: bounds the concurrent jobs with it, and lets only probes
 * through once it counts as down. The first answer opens it again.
 * @param isSilent whether a result means that the party did not answer; a job that throws counts as silent too
 */
export function createBulkhead(
  { width, waitMs, silences, probeEveryMs }: BulkheadOptions,
  isSilent: (answer: unknown) => boolean,
  now: () => number = monotonicMs,
): Bulkhead {
  let running = 0;
  let silent = 0;
  let probedAt = Number.NEGATIVE_INFINITY;
  const waiting = new Set<(isTurn: boolean) => void>();

  const isDown = (): boolean => silent >= silences;
  const next = (): void => {
    const [first] = waiting;
    if (first) first(true);
    else running -= 1;
  };
  /** Drops the queued jobs when the party is down. */
  const dismiss = (): void => {
    for (const one of waiting) one(false);
  };
  const turn = (): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => answer(false), waitMs);
      const answer = (isTurn: boolean): void => {
        clearTimeout(timer);
        waiting.delete(answer);
        resolve(isTurn);
      };
      waiting.add(answer);
    });
  const mayStart = async (): Promise<boolean> => {
    if (isDown()) {
      if (now() - probedAt < probeEveryMs) return false;
      probedAt = now();
      running += 1;
      return true;
    }
    // A finished job hands its slot to the next: `running` does not change in between.
    if (running >= width) return turn();
    running += 1;
    return true;
  };

  return async (job) => {
    if (!(await mayStart())) return undefined;
    let wasSilent = true;
    try {
      const answer = await job();
      wasSilent = isSilent(answer);
      return answer;
    } finally {
      silent = wasSilent ? silent + 1 : 0;
      if (wasSilent && silent === silences) {
        probedAt = now();
        dismiss();
      }
      next();
    }
  };
}
