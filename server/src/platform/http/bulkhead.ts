import { monotonicMs } from '../clock.ts';

export type BulkheadOptions = {
  /** Jobs under way at once. */
  width: number;
  /** How long a job waits for its turn before it is given up. */
  waitMs: number;
  /** So many silences one after the other, and the other side is taken to be down. */
  silences: number;
  /** While it is down, one job in so long is let through to see. */
  probeEveryMs: number;
};

/** Runs a job, or answers undefined at once or later: it was not run. */
export type Bulkhead = <T>(job: () => Promise<T>) => Promise<T | undefined>;

/**
 * Keeps one side that is slow or silent from taking everybody's hands: only so many jobs with it at once, and hardly any
 * once it has been silent for long. The first answer opens it again.
 * @param isSilent whether an answer means that nobody was there; whatever a job throws means it too
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
  /** Whoever waits when it turns out to be down needn't wait longer. */
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
    // Whoever ends hands its place over: `running` does not change in between.
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
