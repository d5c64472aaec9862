/** Runs at most `width` jobs at once and lets at most `queueMax` wait; one more is refused by `onFull`, which throws. */
export function createSemaphore(
  width: number,
  queueMax: number,
  onFull: () => never,
): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (running >= width) {
      if (waiting.length >= queueMax) onFull();
      // A finished job hands its slot to the next: `running` does not change in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
