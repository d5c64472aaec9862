import { setTimeout as wait } from 'node:timers/promises';

/** The source of time. Code that depends on the time takes a clock, so that a test can move it. */
export type Clock = {
  /** The moment, in UTC. */
  now(): Date;
};

export const systemClock: Clock = { now: () => new Date() };

/** Monotonic milliseconds; for measuring durations, never for a date. */
export function monotonicMs(): number {
  return performance.now();
}

/** Waits; resolves early when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** The moment `ms` milliseconds after another. */
export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}
