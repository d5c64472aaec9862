import { sleep } from '../clock.ts';

export type CallsInFlight = {
  /** @returns what the work returns */
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves when no work is left, or after so many ms; more may begin meanwhile, and is waited for too. */
  ended(withinMs: number): Promise<void>;
};

/**
 * The calls whose handlers have not ended. A closed server has no connections left, but a handler whose caller is gone
 * still works: what it needs must not be closed before it has ended.
 */
export function trackCalls(): CallsInFlight {
  const works = new Set<Promise<unknown>>();
  return {
    track(work) {
      works.add(work);
      const forget = (): void => void works.delete(work);
      work.then(forget, forget);
      return work;
    },
    async ended(withinMs) {
      const none = new AbortController();
      let isOver = false;
      const limit = sleep(withinMs, none.signal).then(() => (isOver = true));
      while (works.size > 0 && !isOver) await Promise.race([Promise.allSettled(works), limit]);
      none.abort();
    },
  };
}
